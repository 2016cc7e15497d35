/**
 * Loaded before the program with `node --import`, also into its workers: recognises a named point of
 * a run by the calls to Node and SQLite there, and ends or stops the process at it.
 */
import fs, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import Database from 'better-sqlite3';
import type { Act, Point } from './points.ts';

const { FAULT_POINT, FAULT_HIT = '1', FAULT_DOES = 'kill', DOSSIER_URL = '' } = process.env;
let hitsLeft = Number(FAULT_HIT);

function hit(): void {
  hitsLeft -= 1;
  if (hitsLeft !== 0) return;
  switch (FAULT_DOES as Act) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      break;
    case 'stop':
      process.kill(process.pid, 'SIGSTOP');
      break;
    default:
      throw Object.assign(new Error(`${FAULT_DOES}: the disk fails`), { code: FAULT_DOES });
  }
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Wraps a method of a prototype, so that something runs before or after it. */
function around(prototype: object, name: string, what: { before?: Method; after?: Method }): void {
  const methods = prototype as Record<string, Method>;
  const original = methods[name] as Method;
  methods[name] = function wrapped(...args) {
    what.before?.apply(this, args);
    const result = original.apply(this, args);
    if (!(result instanceof Promise)) {
      what.after?.apply(this, args);
      return result;
    }
    return result.then((value: unknown) => {
      what.after?.apply(this, args);
      return value;
    });
  };
}

const memory = new Database(':memory:');
const statement = Object.getPrototypeOf(memory.prepare('select 1')) as object;
memory.close();
const handle = await open(import.meta.filename);
const fileHandle = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();

const servicePort = Number(new URL(DOSSIER_URL).port);
const isToService = (socket: unknown) => (socket as Socket).remotePort === servicePort;
const says = (target: unknown, text: string) =>
  (target as Database.Statement).source.includes(text);

/** Whether the open transaction stores answers. */
let storesAnswers = false;
function watchAnswers(when: 'before' | 'after'): void {
  around(statement, 'run', {
    before() {
      if (says(this, 'insert into answer')) storesAnswers = true;
      if (when === 'before' && says(this, 'COMMIT') && storesAnswers) hit();
    },
    after() {
      if (!says(this, 'COMMIT')) return;
      if (when === 'after' && storesAnswers) hit();
      storesAnswers = false;
    },
  });
}

function beforeStatement(text: string): void {
  around(statement, 'run', {
    before() {
      if (says(this, text)) hit();
    },
  });
}

const install: Record<Point, () => void> = {
  'during migration': () =>
    around(Database.prototype, 'exec', {
      after(sql) {
        if (String(sql).includes('create table run')) hit();
      },
    }),
  'mid-ingest': () => beforeStatement('insert into row'),
  'before send': () =>
    around(Socket.prototype, 'write', {
      before() {
        if (isToService(this)) hit();
      },
    }),
  'after answer': () =>
    around(Socket.prototype, 'push', {
      before(chunk) {
        if (chunk !== null && isToService(this)) hit();
      },
    }),
  'before commit': () => watchAnswers('before'),
  'after commit': () => watchAnswers('after'),
  'mid-resume': () =>
    around(statement, 'run', {
      after() {
        if (says(this, 'insert into possibly_charged_call')) hit();
      },
    }),
  'mid-export': () => around(fileHandle, 'writeFile', { before: hit }),
  'after fsync': () => around(fileHandle, 'sync', { after: hit }),
  'before rename': () => {
    around(fs, 'rename', { before: hit });
    syncBuiltinESMExports();
  },
  'before the end': () => beforeStatement(`state = 'finished'`),
};

install[FAULT_POINT as Point]();
