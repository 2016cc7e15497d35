import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { countCalls } from '../../../support/count-run.ts';
import { testJob } from '../../../support/test-job.ts';
import { startTestRun } from '../../../support/test-run.ts';
import { callIdOf } from '../support/answers.ts';

const facts = { columns: ['website'], keyColumns: ['id'], inputSha256: 'abc', listId: 1 };

test('a run that has read its list supersedes older unfinished runs of its job', () => {
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

test('rows and tasks of a process that died while reading are removed', () => {
  using ledger = openLedger(':temporary:');
  const { run } = startTestRun(ledger, testJob());
  const callId = callIdOf(ledger, { key: Buffer.from('k'), request: 'company?abn=1&country=AU' });
  const row = { key: '1', cells: ['x'], country: 'AU', candidates: [['abn', '1']] } as const;
  const rowIds = ledger.rows.idsOf('leads', [row]);
  ledger.lists.addBlock(run.listId, { firstNumber: 1, rowIds });
  ledger.outcomes.wait(run.id, [{ callId, rowId: rowIds[0] ?? 0, candidateIndex: 0 }]);
  ledger.runs.dropUnfinishedIngests('another-job');
  expect(ledger.runs.get(run.id)).toBeDefined();
  ledger.runs.dropUnfinishedIngests('leads');
  expect(ledger.runs.get(run.id)).toBeUndefined();
  expect(countCalls(ledger, run.id).open).toBe(0);
  expect(ledger.lists.size(run.listId)).toBe(0);
  expect([...ledger.outcomes.allWaiting(run.id)]).toEqual([[]]);
});
