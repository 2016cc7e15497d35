import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { noCounts } from '../../../../src/core/rules/outcomes.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { testJob } from '../../../support/test-job.ts';
import { startTestRun } from '../../../support/test-run.ts';

test('the newest note of a run is the one that is read', () => {
  using ledger = openLedger(':temporary:');
  const { run } = startTestRun(ledger, testJob());
  const counts = noCounts();
  expect(ledger.progress.of(run.id)).toEqual(counts);
  ledger.progress.put(run.id, counts);
  ledger.progress.put(run.id, { ...counts, people: 3 });
  ledger.progress.put(run.id + 1, counts);
  expect(ledger.progress.of(run.id)).toEqual({ ...counts, people: 3 });
});

test('counts that have not changed are not written again', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  using ledger = openLedger(path);
  const { run } = startTestRun(ledger, testJob());
  const counts = noCounts();
  const reader = new Database(path, { readonly: true });
  const version = () => reader.pragma('data_version', { simple: true });
  ledger.together(() => ledger.progress.put(run.id, counts));
  const before = version();
  ledger.together(() => ledger.progress.put(run.id, { ...counts }));
  expect(version()).toBe(before);
  ledger.together(() => ledger.progress.put(run.id, { ...counts, people: 1 }));
  expect(version()).not.toBe(before);
  reader.close();
});
