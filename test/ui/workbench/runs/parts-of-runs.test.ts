import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { isStopNoted, noteStop, openLedgers } from '../../../../src/ui/workbench/runs/runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a ledger that a run is making is not there yet, and no trouble', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const db = new Database(path);
  // As a reader finds it before a migration.
  db.exec(`pragma application_id = 0x446f7373; create table older (column_of_older)`);
  db.close();
  using ledgers = openLedgers();
  expect(ledgers.of(path, true)).toBeUndefined();
  expect(() => ledgers.of(path, false)).toThrow('was written by an older version');
  openLedger(path)[Symbol.dispose]();
  expect(ledgers.of(path, true)).toBeDefined();
});

test('a process is asked to stop once, and a later one of the same job is another', () => {
  using folder = temporaryFolder();
  const job = { ledger: join(folder.path, 'ledger.db'), name: 'leads' };
  const first = { startedAt: Date.now() - 1_000 };
  expect(isStopNoted(job, first)).toBe(false);
  expect([noteStop(job, first), noteStop(job, first)]).toEqual([true, false]);
  expect([isStopNoted(job, first), isStopNoted({ ...job, name: 'b' }, first)]).toEqual([
    true,
    false,
  ]);
  utimesSync(join(folder.path, 'ledger.db.leads.stop'), 0, 0);
  expect([isStopNoted(job, first), noteStop(job, { startedAt: 1_000 })]).toEqual([false, true]);
});
