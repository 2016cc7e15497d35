import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { openLedgers } from '../../../src/workbench/runs/open-ledgers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a ledger that a run is making is not there yet, and no trouble', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const db = new Database(path);
  // As a reader finds it before a migration.
  db.exec(`pragma application_id = 0x446f7373; create table older (column_of_older)`);
  db.close();
  using ledgers = openLedgers();
  expect(ledgers.of(path, true)).toBeUndefined();
  expect(() => ledgers.of(path, false)).toThrow('is of an older version');
  openLedger(path)[Symbol.dispose]();
  expect(ledgers.of(path, true)).toBeDefined();
});
