import { expect, test } from 'vitest';
import { callText } from '../../../src/core/contract/call.ts';
import { keyedCall } from '../../../src/engine/ledger/calls/call-key.ts';
import { lockJob } from '../../../src/engine/ledger/file/locks.ts';
import { type Ledger, openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import type { Answer, Exchange } from '../../../src/engine/queue/run-queue.ts';
import { failure } from '../../support/answers.ts';
import { countCalls } from '../../support/count-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';
import { ingestTestRun, listOf } from '../../support/test-run.ts';
import { type AnswerFacts, callIdOf, putAnswer } from '../ledger/support/answers.ts';

const sites = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => [`d${from + index}.com.au`]);
const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });

const miss: AnswerFacts = {
  result: 'miss',
  status: 404,
  message: null,
  companyId: null,
  match: null,
  attempts: 1,
  durationMs: 1,
  fetchedAt: 1_000,
  body: null,
};

function answer(ledger: Ledger, site: string): void {
  const identifier = { kind: 'fqdn', value: site } as const;
  const call = keyedCall(job.services[0].url, { operation: 'company', identifier, country: 'AU' });
  putAnswer(ledger, callIdOf(ledger, call, job.services[0]), miss);
}

function answersTo({ calls }: Exchange): Answer[] {
  return calls.map(({ callId }) => ({ callId, result: failure, fetchedAt: 2_000 }));
}

test('cache hits are completed on the way, some hundreds at a time', async () => {
  using ledger = openLedger(':temporary:');
  for (const [site = ''] of sites(0, 600)) answer(ledger, site);
  const { queue } = await ingestTestRun(ledger, job, listOf(['website'], sites(0, 603)));
  const leased: string[] = [];
  let exchanges = 0;
  let exchanged: Exchange;
  do {
    exchanged = await queue.exchange([], [2]);
    exchanges += 1;
    leased.push(...exchanged.calls.map(({ call }) => callText(call)));
  } while (exchanged.openCalls === 'unseen' || exchanged.calls.length > 0);
  expect(leased).toEqual(sites(600, 3).map(([site]) => `company?country=AU&fqdn=${site}`));
  expect(exchanges).toBeGreaterThan(2);
  expect(exchanged.counts).toMatchObject({
    rows: { not_found: 600, open: 3 },
    calls: { reused: 600, open: 3 },
  });
});

test('a call that another job has leased is awaited, until that job is dead', async () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  using ledger = openLedger(path);
  const open = (name: string, count: number) =>
    ingestTestRun(ledger, { ...job, name, ledger: path }, listOf(['website'], sites(0, count)));
  const { queue } = await open('mine', 2);
  const theirs = await open('theirs', 1);
  const theirLock = lockJob(path, 'theirs');
  await theirs.queue.exchange([], [1]);

  const exchanged = await queue.exchange([], [5]);
  expect(exchanged.calls).toHaveLength(1);
  await queue.exchange(answersTo(exchanged), [5]);
  expect(await queue.exchange([], [5])).toMatchObject({ calls: [], openCalls: 'elsewhere' });
  expect(countCalls(ledger, theirs.run.id)).toMatchObject({ leased: 1, possiblyCharged: 0 });

  theirLock[Symbol.dispose]();
  // The first exchange finds that the other job is dead, the second leases its call.
  await queue.exchange([], [5]);
  expect((await queue.exchange([], [5])).calls).toHaveLength(1);
  expect(countCalls(ledger, theirs.run.id).possiblyCharged).toBe(1);
});
