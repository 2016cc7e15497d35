import { expect, test } from 'vitest';
import { type CallResult, callText } from '../../../src/core/contract/call.ts';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import type { Answer, IdentifiedRow } from '../../../src/engine/queue/run-queue.ts';
import { failure, hitOf, miss } from '../../support/answers.ts';
import { testJob } from '../../support/test-job.ts';
import { ingestTestRun, listOf, startTestRun } from '../../support/test-run.ts';
import { columns } from './small-list.ts';

const hit: CallResult = hitOf({ id: 'c2', fqdn: 'd2.com.au', network: 's2' }, 'c2');

function answeredBy({ callId }: { callId: number }, result: CallResult): Answer {
  return { callId, result, fetchedAt: 1_000 };
}

test('a row that others have taken along does not go back', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({
    identify: ['one', 'two', 'three'].map((column) => ({ column, as: 'fqdn' })),
  });
  // When nobody is known, the first row moves on to the call that the second one waits for.
  const rows = [
    ['d0.com.au', 'd1.com.au', ''],
    ['d1.com.au', 'd2.com.au', 'd3.com.au'],
    ['d2.com.au', '', ''],
    ['d3.com.au', '', ''],
  ];
  const { queue, run } = await ingestTestRun(ledger, job, listOf(columns, rows));
  const { calls } = await queue.exchange([], [9]);
  const { counts } = await queue.exchange(
    calls.map((call) => answeredBy(call, miss)),
    [0],
  );
  const records = ledger.records(undefined).ofRun(run, () => expect.unreachable());
  const asked = [...records.rows()].map(({ identifier }) => identifier);
  expect(asked).toEqual(['d1.com.au', 'd3.com.au', 'd2.com.au', 'd3.com.au']);
  expect(counts.rows).toMatchObject({ not_found: 4, open: 0 });
});

test('an answer completes no other call of its run, whether that was open or comes up later', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: columns.map((column) => ({ column, as: 'auto' })) });
  const page = 'https://linkedin.com/company/s2';
  const rows = [
    ['d2.com.au', '', ''],
    ['id c2', page, ''],
    ['d9.com.au', page, ''],
  ];
  const { queue } = await ingestTestRun(ledger, job, listOf(columns, rows));
  const { calls } = await queue.exchange([], [1]);
  const next = await queue.exchange(
    calls.map((call) => answeredBy(call, hit)),
    [9],
  );
  expect(next.calls.map(({ call }) => callText(call))).toEqual([
    'company?country=AU&ln_slug=s2',
    'company?country=AU&fqdn=d9.com.au',
  ]);
  expect(next.counts).toMatchObject({ rows: { matched: 1 }, calls: { made: 1, joined: 0 } });
});

test('a row keeps the answer to a name, if its lookup fails tonight', async () => {
  using ledger = openLedger(':temporary:');
  const [service] = testJob().services;
  const other = { ...service, name: 'other', url: 'http://127.0.0.1:10' };
  const reuse = { ...testJob().reuse, companiesMs: 0, missesMs: 0, staleOnFailureMs: 1e9 };
  const job = testJob({ services: [{ ...service, name: 'ours' }, other], reuse });
  const row: IdentifiedRow = {
    number: 1,
    key: 'x',
    cells: ['x'],
    country: 'AU',
    candidates: [
      ['fqdn', 'x.com.au'],
      ['abn', '51824753556', ['acme']],
    ],
    reject: undefined,
  };
  const proof: IdentifiedRow = {
    ...row,
    number: 2,
    key: 'proof',
    candidates: [['fqdn', 'd2.com.au']],
  };
  const night = async (startedAt: number, byName: CallResult) => {
    const { queue, run } = startTestRun(ledger, job, startedAt);
    await queue.add([row, proof]);
    let exchanged = await queue.exchange([], [9, 9]);
    while (exchanged.calls.length > 0 || exchanged.openCalls === 'unseen') {
      const answers = exchanged.calls.map((call): Answer => {
        const text = callText(call.call);
        const found = text.includes('abn') ? byName : miss;
        return { ...answeredBy(call, text.includes('d2') ? hit : found), fetchedAt: startedAt + 1 };
      });
      exchanged = await queue.exchange(answers, [9, 9]);
    }
    return ledger.outcomes.upTo(run.id, ledger.rows.idsOf(job.name, [row]));
  };
  const [first] = await night(1_000, hit);
  expect(first).toMatchObject({ status: 'matched', candidateIndex: 1, isStale: 0 });
  const [second] = await night(2_000, failure);
  const { callId, answerId } = first ?? {};
  expect(second).toMatchObject({
    status: 'matched',
    callId,
    answerId,
    candidateIndex: 1,
    isStale: 1,
  });
});
