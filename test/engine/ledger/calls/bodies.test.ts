import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { hitWith, openDatabase, putAnswer } from '../support/answers.ts';

test('bundles of thirty nights that are read in turn stay unpacked', () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  using ledger = openLedger(path);
  const body = Buffer.alloc(128 * 1_024);
  const ids = Array.from({ length: 30 }, () => putAnswer(ledger, 1, hitWith({ body })));
  for (const id of ids) ledger.calls.body(id);
  using file = openDatabase(path);
  file.value.pragma('foreign_keys = off');
  file.value.exec('delete from bundle');
  for (const id of ids) expect(ledger.calls.body(id)?.length).toBe(body.length);
});
