/**
 * Loaded before the program with `node --import`: kills the process before the n-th of its steps, which are
 * the changes that it makes to databases and files. No production code takes part.
 */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

let stepsLeft = Number(process.env.FAULT_STEP);

type Method = (this: unknown, ...args: unknown[]) => unknown;

function step(): void {
  stepsLeft -= 1;
  if (stepsLeft === 0) process.kill(process.pid, 'SIGKILL');
}

function beforeEach(target: object, name: string): void {
  const methods = target as Record<string, Method>;
  const original = methods[name] as Method;
  methods[name] = function wrapped(...args) {
    step();
    return original.apply(this, args);
  };
}

const memory = new Database(':memory:');
const statement = Object.getPrototypeOf(memory.prepare('select 1')) as object;
memory.close();

beforeEach(statement, 'run');
beforeEach(Database.prototype, 'exec');
beforeEach(Database.prototype, 'pragma');
beforeEach(Database.prototype, 'close');
for (const name of ['fsyncSync', 'chmodSync']) beforeEach(fs, name);
for (const name of ['rename', 'rm']) beforeEach(promises, name);
syncBuiltinESMExports();

const backup = Database.prototype.backup as Method;
// Between the pages that it copies, a backup asks how many come next.
Database.prototype.backup = function wrapped(this: unknown, file: string, options: object) {
  const progress = () => {
    step();
    return 2;
  };
  return backup.call(this, file, { ...options, progress });
} as Database.Database['backup'];
