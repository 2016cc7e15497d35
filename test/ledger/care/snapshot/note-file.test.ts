import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { takeNote } from '../../../../src/ledger/care/snapshot/note-file.ts';
import { openLedger } from '../../../../src/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a file that a killed process has left without tables is no ledger, and one with them begins a lineage', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  expect(takeNote(path)).toBeUndefined();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, '');
  expect(takeNote(path)).toBeUndefined();
  const half = new Database(path);
  half.pragma('journal_mode = wal');
  half.close();
  expect(takeNote(path)).toBeUndefined();
  openLedger(path)[Symbol.dispose]();
  const note = takeNote(path);
  expect(note).toMatchObject({ generation: 0, answersSince: 0, isAside: false });
  expect(takeNote(path)?.lineage).toBe(note?.lineage);
});
