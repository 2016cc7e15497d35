import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
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
  expect(() => ledgers.of(path, false)).toThrow('has an older version');
  openLedger(path)[Symbol.dispose]();
  expect(ledgers.of(path, true)).toBeDefined();
});

test('a process is asked to stop once, and a later one of the same id is another', () => {
  using folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder.path);
  const first = { pid: 7, startedAt: Date.now() - 1_000 };
  expect(isStopNoted(first)).toBe(false);
  expect([noteStop(first), noteStop(first), isStopNoted(first)]).toEqual([true, false, true]);
  const second = { pid: 7, startedAt: Date.now() + 1_000 };
  utimesSync(join(folder.path, 'dossier-ui-7-stop'), 0, 0);
  expect([isStopNoted(second), noteStop({ ...second, startedAt: 1_000 })]).toEqual([false, true]);
});
