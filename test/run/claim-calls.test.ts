import { expect, test } from 'vitest';
import { keyedCall } from '../../src/ledger/call-key.ts';
import { lockJob } from '../../src/ledger/job-lock.ts';
import { type Ledger, openLedger } from '../../src/ledger/open-ledger.ts';
import { beginScan, claimCalls, releaseDeadRuns } from '../../src/run/claim-calls.ts';
import { type AnswerFacts, putAnswer } from '../ledger/support/answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testJob } from '../support/test-job.ts';
import { ingestTestRun, listOf, startTestRun } from '../support/test-run.ts';

const sites = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => [`d${from + index}.com.au`]);
const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
const start = beginScan;

const miss: AnswerFacts = {
  ...{ outcome: 'miss', status: 404, message: null, companyId: null, match: null },
  ...{ attempts: 1, durationMs: 1, fetchedAt: 1_000, body: null },
};

function answer(ledger: Ledger, site: string): void {
  const identifier = { kind: 'fqdn', value: site } as const;
  const call = keyedCall(job.service.url, { operation: 'company', identifier, country: 'AU' });
  putAnswer(ledger, ledger.calls.idOf(call), miss);
}

test('no more is claimed than there is room for, and never twice', async () => {
  using ledger = openLedger(':temporary:');
  const context = await ingestTestRun(ledger, job, listOf(['website'], sites(0, 5)));
  const scan = start();
  const claimed = [3, 3, 3].map((room) => claimCalls(context, room, scan));
  expect(claimed.map(({ tasks }) => tasks.length)).toEqual([3, 2, 0]);
  const ids = claimed.flatMap(({ tasks }) => tasks.map(({ callId }) => callId));
  expect(new Set(ids).size).toBe(5);
  expect(claimed.map(({ isComplete }) => isComplete)).toEqual([false, true, true]);
});

test('answers at hand are settled on the way, some hundreds at a time', async () => {
  using ledger = openLedger(':temporary:');
  for (const [site = ''] of sites(0, 1_200)) answer(ledger, site);
  const context = await ingestTestRun(ledger, job, listOf(['website'], sites(0, 1_203)));
  const scan = start();
  const tasks: string[] = [];
  let claims = 0;
  for (;;) {
    const claim = claimCalls(context, 2, scan);
    claims += 1;
    tasks.push(...claim.tasks.map(({ request }) => request));
    if (claim.isComplete) break;
  }
  expect(tasks).toEqual(sites(1_200, 3).map(([site]) => `company?country=AU&fqdn=${site}`));
  expect(claims).toBeGreaterThan(2);
  expect(context.counts).toMatchObject({
    rows: { not_found: 1_200, open: 3 },
    calls: { reused: 1_200, open: 3 },
  });
});

test('without room, answers at hand are settled all the same', async () => {
  using ledger = openLedger(':temporary:');
  answer(ledger, 'd1.com.au');
  const context = await ingestTestRun(ledger, job, listOf(['website'], sites(0, 3)));
  const scan = start();
  expect(claimCalls(context, 0, scan)).toMatchObject({ tasks: [], isComplete: false });
  expect(claimCalls(context, 0, scan)).toMatchObject({ tasks: [], isComplete: true });
  expect(context.counts.rows).toMatchObject({ not_found: 1, open: 2 });
});

test('what another job has sent is awaited, until that job is dead', async () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/ledger.db`;
  using ledger = openLedger(path);
  const mine = await ingestTestRun(
    ledger,
    { ...job, ledger: path },
    listOf(['website'], sites(0, 2)),
  );
  const theirs = await ingestTestRun(
    ledger,
    { ...job, name: 'theirs', ledger: path },
    listOf(['website'], sites(0, 1)),
  );
  const theirLock = lockJob(path, 'theirs');
  claimCalls(theirs, 1, start());

  const claim = claimCalls(mine, 5, start());
  expect(claim.tasks).toHaveLength(1);
  expect(claim.awaited).toEqual([theirs.run.id]);
  releaseDeadRuns(mine, claim.awaited);
  expect(claimCalls(mine, 5, start())).toMatchObject({ tasks: [], awaited: [theirs.run.id] });

  theirLock[Symbol.dispose]();
  releaseDeadRuns(mine, claim.awaited);
  expect(claimCalls(mine, 5, start()).tasks).toHaveLength(1);
  expect(ledger.calls.counts(theirs.run.id).doubtful).toBe(1);
});

test('a run of the same job is nobody to wait for', () => {
  using ledger = openLedger(':temporary:');
  const { run, ...context } = startTestRun(ledger, job);
  expect(() => releaseDeadRuns({ run, ...context }, [run.id, 4_711])).not.toThrow();
});

test('calls that another run has sent are awaited, however many claims it took to see them', async () => {
  for (const count of [499, 500, 501, 1_000]) {
    using ledger = openLedger(':temporary:');
    const theirs = await ingestTestRun(
      ledger,
      { ...job, name: 'theirs' },
      listOf(['website'], sites(0, count)),
    );
    const open = ledger.calls.openTasks(theirs.run.id, 0, count).map(({ callId }) => callId);
    ledger.calls.markSent(theirs.run.id, open);
    const mine = await ingestTestRun(ledger, job, listOf(['website'], sites(0, count)));
    const scan = start();
    let claim = claimCalls(mine, 4, scan);
    while (!claim.isComplete) claim = claimCalls(mine, 4, scan);
    expect(claim.awaited).toEqual([theirs.run.id]);
  }
});
