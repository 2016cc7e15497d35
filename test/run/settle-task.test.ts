import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CallOutcome, parseCall } from '../../src/contract/call.ts';
import { keyedCall } from '../../src/ledger/call-key.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { OpenTask } from '../../src/ledger/tasks.ts';
import { beginScan, claimCalls } from '../../src/run/claim-calls.ts';
import type { Answered } from '../../src/run/read-answer.ts';
import { type RunContext, readCounts } from '../../src/run/run-context.ts';
import { settleAnswered } from '../../src/run/settle-task.ts';
import { testJob } from '../support/test-job.ts';
import { ingestTestRun, listOf } from '../support/test-run.ts';
import { columns, jobWith, list, smallJob } from './small-list.ts';
import { answerOf, arbitraryWorld, type SmallWorld } from './small-world.ts';

const numRuns = Number(process.env.DOSSIER_TEST_RUNS ?? 80);

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

function answeredBy(task: OpenTask, outcome: CallOutcome): Answered {
  return { task, call: parseCall(task.request), outcome, fetchedAt: 1_000 };
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

/** Runs a list twice, so that the second time there are answers at hand, and tells all that is left. */
async function settleAll(world: SmallWorld, rows: string[][], given: Setting) {
  using ledger = openLedger(':temporary:');
  const job = jobWith(given);
  const left = [];
  for (const _ of [1, 2]) {
    const context = await ingestTestRun(ledger, job, listOf(columns, rows));
    const asked = settleRounds(context, world, given);
    expect(context.counts).toEqual(readCounts(ledger, context.run));
    left.push(tell(context, asked));
  }
  return left;
}

/** Sends what is open in rounds; says what it has seen to be open. */
function settleRounds(context: RunContext, world: SmallWorld, given: Setting): Set<string> {
  const asked = new Set<string>();
  for (let round = 0; ; round += 1) {
    settleAtHand(context);
    const open = inTurn(context.ledger.calls.openTasks(context.run.id, 0, 1_000));
    if (open.length === 0) return asked;
    for (const { request } of open) asked.add(request);
    const sent = open.slice(0, at(given.sent, round));
    context.ledger.calls.markSent(
      context.run.id,
      sent.map(({ callId }) => callId),
    );
    settleInGroups(context, world, arriving(sent, given), given);
  }
}

/** In an order that does not depend on which call was put on the list first. */
function inTurn(tasks: readonly OpenTask[]): OpenTask[] {
  return tasks.toSorted((one, other) => (one.request < other.request ? -1 : 1));
}

function arriving(sent: readonly OpenTask[], { order }: Setting): OpenTask[] {
  const left = [...sent];
  return sent.flatMap((_, index) => left.splice(at(order, index) % left.length, 1));
}

function settleInGroups(
  context: RunContext,
  world: SmallWorld,
  tasks: OpenTask[],
  { groups }: Setting,
): void {
  for (let group = 0; tasks.length > 0; group += 1) {
    const answered = tasks
      .splice(0, at(groups, group))
      .map((task) => answeredBy(task, answerOf(world, parseCall(task.request))));
    context.ledger.together(() => settleAnswered(context, answered));
  }
}

function settleAtHand(context: RunContext): void {
  const scan = beginScan();
  while (!claimCalls(context, 0, scan).isComplete);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index % numbers.length] ?? 1;
}

/** All that others may see, without ids: those depend on who came first. */
function tell({ ledger, run, job, counts }: RunContext, asked: ReadonlySet<string>) {
  const records = ledger.records.of(run, () => expect.unreachable());
  const calls = [...asked].toSorted().map((request) => {
    const id = ledger.calls.find(keyedCall(job.service.url, parseCall(request)).key) ?? 0;
    const settled = ledger.calls.settledTask(run.id, id);
    const newest = ledger.calls.newestAnswer(id);
    return {
      request,
      source: settled?.source,
      ...{ settledBy: settled?.answer.companyId, newest: newest?.companyId },
      ...{ outcome: settled?.answer.outcome, newestOutcome: newest?.outcome },
    };
  });
  const searches = ledger.searches.counts(run.id);
  return { rows: [...records.rows()], people: [...records.people()], calls, counts, searches };
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
  const context = await ingestTestRun(ledger, job, listOf(columns, rows));
  const { tasks } = claimCalls(context, 9, beginScan());
  settleAnswered(
    context,
    tasks.map((task) => answeredBy(task, miss)),
  );
  const records = ledger.records.of(context.run, () => expect.unreachable());
  const asked = [...records.rows()].map(({ identifier }) => identifier);
  expect(asked).toEqual(['d1.com.au', 'd3.com.au', 'd2.com.au', 'd3.com.au']);
  expect(context.counts.rows).toMatchObject({ not_found: 4, open: 0 });
});

test('a name that is asked for after a miss is not asked when an earlier answer has it', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: columns.map((column) => ({ column, as: 'auto' })) });
  const rows = [
    ['d2.com.au', '', ''],
    ['d9.com.au', 'https://linkedin.com/company/s2', ''],
  ];
  const context = await ingestTestRun(ledger, job, listOf(columns, rows));
  const { tasks } = claimCalls(context, 9, beginScan());
  expect(tasks).toHaveLength(2);
  // The miss comes later, so that nobody asks for the page when the company arrives.
  for (const [index, task] of tasks.entries()) {
    settleAnswered(context, [answeredBy(task, index === 0 ? hit : miss)]);
  }
  expect(claimCalls(context, 9, beginScan()).tasks).toEqual([]);
  expect(context.counts).toMatchObject({ rows: { matched: 2 }, calls: { called: 2, joined: 1 } });
});

test('thousands of rows fall back to a call that is settled, and all are served', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: columns.map((column) => ({ column, as: 'auto' })) });
  const page = 'https://linkedin.com/company/s2';
  const fallBack = Array.from({ length: 2_500 }, (_, index) => [`x${index}.com.au`, page, '']);
  const context = await ingestTestRun(ledger, job, listOf(columns, [[page, '', ''], ...fallBack]));
  for (const outcome of [hit, ...Array(10).fill(miss)]) {
    const { tasks } = claimCalls(context, outcome === hit ? 1 : 250, beginScan());
    settleAnswered(
      context,
      tasks.map((task) => answeredBy(task, outcome)),
    );
  }
  expect(context.counts).toMatchObject({ rows: { matched: 2_501 }, calls: { called: 2_501 } });
  expect(context.counts).toEqual(readCounts(ledger, context.run));
});

test('of two answers to a call the first one settles it, and the last is the newest', async () => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
  const context = await ingestTestRun(ledger, job, listOf(['website'], [['d0.com.au']]));
  const { tasks } = claimCalls(context, 1, beginScan());
  const answered = tasks.flatMap((task) =>
    [miss, failure, miss].map((outcome) => answeredBy(task, outcome)),
  );
  settleAnswered(context, answered);
  settleAnswered(context, answered.slice(1, 2));
  const callId = tasks[0]?.callId ?? 0;
  expect(ledger.calls.settledTask(context.run.id, callId)?.answer.id).toBe(1);
  expect(ledger.calls.newestAnswer(callId)?.id).toBe(3);
  expect(context.counts).toMatchObject({ rows: { not_found: 1, open: 0 }, calls: { called: 1 } });
  expect(context.counts).toEqual(readCounts(ledger, context.run));
});
