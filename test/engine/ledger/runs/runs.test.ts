import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { testJob } from '../../../support/test-job.ts';
import { startTestRun } from '../../../support/test-run.ts';

const facts = { columns: ['website'], keyColumns: ['id'], inputSha256: 'abc', listId: 1 };

test('a run whose list was read in makes older unfinished ones of its job step aside', () => {
  using ledger = openLedger(':temporary:');
  const [first, second] = [
    startTestRun(ledger, testJob()).run,
    startTestRun(ledger, testJob()).run,
  ];
  const elsewhere = startTestRun(ledger, testJob({ name: 'elsewhere' })).run;
  for (const run of [elsewhere, first]) ledger.runs.completeIngest(run, facts);
  expect(ledger.runs.newest('leads')).toMatchObject({ id: first.id, state: 'open', ...facts });
  ledger.runs.completeIngest(second, facts);
  expect(ledger.runs.list().map(({ id, state }) => [id, state])).toEqual([
    [elsewhere.id, 'open'],
    [second.id, 'open'],
    [first.id, 'superseded'],
  ]);
});
