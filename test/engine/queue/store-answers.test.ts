import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallOutcome, canonicalCall, parseCall } from '../../../src/core/contract/call.ts';
import { keyedCall } from '../../../src/engine/ledger/calls/call-key.ts';
import type { OpenCall } from '../../../src/engine/ledger/calls/calls.ts';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { beginScan, leaseCalls } from '../../../src/engine/queue/open-queue.ts';
import { openQueueState, type QueueState } from '../../../src/engine/queue/queue-state.ts';
import type { Answer } from '../../../src/engine/queue/run-queue.ts';
import { packBodies, storeAnswers } from '../../../src/engine/queue/store-answers.ts';
import { queueTerms } from '../../../src/run/open-run.ts';
import { countRun } from '../../support/count-run.ts';
import { testJob } from '../../support/test-job.ts';
import { ingestTestRun, listOf, type TestRun } from '../../support/test-run.ts';
import { columns, jobWith, list, smallJob } from './small-list.ts';
import { answerOf, arbitraryWorld, type SmallWorld } from './small-world.ts';

const numRuns = Number(process.env.DOSSIER_TEST_RUNS ?? 5);

const miss: CallOutcome = {
  kind: 'miss',
  status: 404,
  body: Buffer.alloc(0),
  attempts: 1,
  durationMs: 1,
};
const failure: CallOutcome = { kind: 'failed', reason: 'HTTP 500', attempts: 1, durationMs: 1 };

const names = { abn: '', acn: '', fqdn: 'd2.com.au', website: '', socialNetwork: '' };
const hit: CallOutcome = {
  ...{ kind: 'hit', status: 200, body: Buffer.from('{"id":"c2"}'), companyId: 'c2' },
  ...{ names: { ...names, network: 's2' }, attempts: 1, durationMs: 1 },
};

function answeredBy({ callId }: { callId: number }, outcome: CallOutcome): Answer {
  return { callId, outcome, fetchedAt: 1_000 };
}

/** In which order the answers of a round come, how many are asked for, how many are stored at once. */
const setting = fc.record({
  ...smallJob,
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
  sent: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  groups: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
});
type Setting = typeof setting extends fc.Arbitrary<infer Value> ? Value : never;

test('answers that are settled together leave what they leave one by one', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld, list, setting, async (world, rows, given) => {
      const together = await settleAll(world, rows, given);
      const oneByOne = await settleAll(world, rows, { ...given, groups: [1] });
      expect(together).toEqual(oneByOne);
    }),
    { numRuns },
  );
});

/** Runs a list twice, so that the second time has cache hits, and tells all that is left. */
async function settleAll(world: SmallWorld, rows: string[][], given: Setting) {
  using ledger = openLedger(':temporary:');
  const job = jobWith(given);
  const left = [];
  for (const _ of [1, 2]) {
    const { run } = await ingestTestRun(ledger, job, listOf(columns, rows));
    const terms = queueTerms(job);
    const state = openQueueState(ledger, run, terms);
    const asked = settleRounds(state, world, given);
    expect(state.counts).toEqual(countRun(ledger, run.id));
    left.push(tell(state, asked));
  }
  return left;
}

/** Sends what is open in rounds; says what it has seen to be open. */
function settleRounds(state: QueueState, world: SmallWorld, given: Setting): Set<string> {
  const { ledger, run } = state;
  const asked = new Set<string>();
  for (let round = 0; ; round += 1) {
    completeCached(state);
    const open = inTurn(ledger.calls.openCalls({ runId: run.id, after: 0, limit: 1_000 }));
    if (open.length === 0) return asked;
    for (const { request } of open) asked.add(request);
    const sent = open.slice(0, at(given.sent, round));
    for (const task of sent) {
      state.leased.set(task.callId, { ...task, call: parseCall(task.request) });
    }
    settleInGroups(state, world, arriving(sent, given), given);
  }
}

/** In an order that does not depend on which call was put on the list first. */
function inTurn(tasks: readonly OpenCall[]): OpenCall[] {
  return tasks.toSorted((one, other) => (one.request < other.request ? -1 : 1));
}

function arriving(sent: readonly OpenCall[], { order }: Setting): OpenCall[] {
  const left = [...sent];
  return sent.flatMap((_, index) => left.splice(at(order, index) % left.length, 1));
}

function settleInGroups(
  state: QueueState,
  world: SmallWorld,
  tasks: OpenCall[],
  { groups }: Setting,
): void {
  for (let group = 0; tasks.length > 0; group += 1) {
    const answered = tasks
      .splice(0, at(groups, group))
      .map((task) => answeredBy(task, answerOf(world, parseCall(task.request))));
    state.ledger.together(() => storeAnswers(state, answered, packBodies(answered)));
  }
}

function completeCached(state: QueueState): void {
  const scan = beginScan();
  while (!leaseCalls(state, 0, scan).isScanned);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index % numbers.length] ?? 1;
}

/** All that others may see, without ids: those depend on who came first. */
function tell({ ledger, run, terms, counts }: QueueState, asked: ReadonlySet<string>) {
  const records = ledger.records.of({ ...run, job: terms.job, columns, finishedAt: null }, () =>
    expect.unreachable(),
  );
  const calls = [...asked].toSorted().map((request) => {
    const id = ledger.calls.find(keyedCall(terms.serviceUrl, parseCall(request)).key) ?? 0;
    const settled = ledger.calls.completion(run.id, id);
    const newest = ledger.calls.newestAnswer(id);
    return {
      request,
      source: settled?.source,
      ...{ settledBy: settled?.answer.companyId, newest: newest?.companyId },
      ...{ outcome: settled?.answer.outcome, newestOutcome: newest?.outcome },
    };
  });
  return { rows: [...records.rows()], people: [...records.people()], calls, counts };
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
  const { calls } = await queue.exchange([], 9);
  const { counts } = await queue.exchange(
    calls.map((call) => answeredBy(call, miss)),
    0,
  );
  const records = ledger.records.of(run, () => expect.unreachable());
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
  const { calls } = await queue.exchange([], 1);
  const next = await queue.exchange(
    calls.map((call) => answeredBy(call, hit)),
    9,
  );
  expect(next.calls.map(({ call }) => canonicalCall(call))).toEqual([
    'company?country=AU&ln_slug=s2',
    'company?country=AU&fqdn=d9.com.au',
  ]);
  expect(next.counts).toMatchObject({ rows: { matched: 1 }, calls: { made: 1, joined: 0 } });
});

test('thousands of rows fall back to a call that is complete, and all get its answer', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: columns.map((column) => ({ column, as: 'auto' })) });
  const page = 'https://linkedin.com/company/s2';
  const fallBack = Array.from({ length: 1_050 }, (_, index) => [`x${index}.com.au`, page, '']);
  const given = await ingestTestRun(ledger, job, listOf(columns, [[page, '', ''], ...fallBack]));
  let { calls } = await given.queue.exchange([], 1);
  for (const outcome of [hit, ...Array(5).fill(miss)]) {
    const answers = calls.map((call) => answeredBy(call, outcome));
    ({ calls } = await given.queue.exchange(answers, 250));
  }
  await expectCounts(given, { rows: { matched: 1_051 }, calls: { made: 1_051 } });
});

test('of two answers to a call the first one completes it, and the last is the newest', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
  const given = await ingestTestRun(ledger, job, listOf(['website'], [['d0.com.au']]));
  const { calls } = await given.queue.exchange([], 1);
  const answers = calls.flatMap((call) =>
    [miss, failure, miss].map((outcome) => answeredBy(call, outcome)),
  );
  await given.queue.exchange(answers, 0);
  const callId = calls[0]?.callId ?? 0;
  expect(ledger.calls.completion(given.run.id, callId)?.answer.id).toBe(1);
  expect(ledger.calls.newestAnswer(callId)?.id).toBe(3);
  await expectCounts(given, { rows: { not_found: 1, open: 0 }, calls: { made: 1 } });
});

async function expectCounts({ queue, ledger, run }: TestRun, expected: object): Promise<void> {
  const counts = await queue.counts();
  expect(counts).toMatchObject(expected);
  expect(counts).toEqual(countRun(ledger, run.id));
}
