import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { openLedger, openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { callIdOf } from './support/answers.ts';

const migrations = join(import.meta.dirname, '../../../src/engine/ledger/migrations');

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof DossierError) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

test('an answer that was acknowledged is on the disk, each time the ledger is opened', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'deep/down/ledger.db');
  const settings: unknown[] = [];
  const pragma = vi.spyOn(Database.prototype, 'pragma');
  for (let time = 0; time < 2; time += 1) {
    using ledger = openLedger(path);
    ledger.inTransaction(() => callIdOf(ledger, { key: Buffer.from([time]), text: 'r' }));
    const db = pragma.mock.contexts.at(-1) as Database.Database;
    settings.push([
      db.pragma('journal_mode', { simple: true }),
      db.pragma('synchronous', { simple: true }),
    ]);
  }
  pragma.mockRestore();
  expect(settings).toEqual([
    ['wal', 2],
    ['wal', 2],
  ]);
});

test('the file is complete once it is closed, even if another process reads it', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const copy = join(folder.path, 'copy.db');
  const key = Buffer.from('k');
  const ledger = openLedger(path);
  using onlooker = openLedgerToRead(path);
  ledger.inTransaction(() => callIdOf(ledger, { key, text: 'company?abn=1' }));
  expect(onlooker?.calls.find(key)).toBeDefined();
  ledger[Symbol.dispose]();
  copyFileSync(path, copy);
  using copied = openLedger(copy);
  expect(copied.calls.find(key)).toBeDefined();
});

test.each([
  ['a version before the first release', 'LEDGER_PRERELEASE', 1, /audit_grows/],
  ['one with more migrations', 'LEDGER_PRERELEASE', 7, /audit_grows/],
  ['a newer version', 'NEWER_VERSION', 99, /never/],
])('a ledger of %s is called that and left as it was', (_, code, version, left) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const db = new Database(path);
  db.pragma(`application_id = ${0x446f7373}`);
  const tables = readFileSync(join(migrations, '0001-ledger.sql'), 'utf8').split(/\n(?=create )/);
  db.exec(tables.filter((sql) => !left.test(sql)).join('\n'));
  db.pragma(`user_version = ${version}`);
  db.close();
  const before = readFileSync(path);
  expect(codeOf(() => openLedger(path))).toBe(code);
  expect(codeOf(() => openLedgerToRead(path))).toBe(code);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("another program's database is refused unchanged", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'theirs.db');
  const db = new Database(path);
  db.exec('create table precious (id integer)');
  db.close();
  const before = readFileSync(path);
  expect(codeOf(() => openLedger(path))).toBe('LEDGER_TROUBLE');
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a file that is not a database, and a folder, are reported and not a bug', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'note.txt');
  writeFileSync(path, 'A shopping list. '.repeat(100));
  expect(codeOf(() => openLedger(path))).toBe('LEDGER_DAMAGED');
  expect(codeOf(() => openLedger(folder.path))).toBe('LEDGER_TROUBLE');
  expect(codeOf(() => openLedger(join(path, 'inside.db')))).toBe('LEDGER_TROUBLE');
});

test.each([
  ['removed', () => {}],
  ['replaced by another file', (path: string) => writeFileSync(path, 'another')],
])('a ledger that is %s while it is open takes no further write', (what, replace) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  using ledger = openLedger(path);
  rmSync(path);
  replace(path);
  const write = () => ledger.inTransaction(() => {});
  expect(codeOf(write)).toBe('LEDGER_MISSING');
  expect(write).toThrow(`${path} was ${what} while it was in use`);
});
