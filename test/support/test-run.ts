import type { Counts } from '../../src/core/rules/outcomes.ts';
import type { Ledger } from '../../src/engine/ledger/open-ledger.ts';
import type { Run } from '../../src/engine/ledger/runs/runs.ts';
import { openQueue } from '../../src/engine/queue/open-queue.ts';
import type { RunQueue } from '../../src/engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import type { OpenInput } from '../../src/lists/open-input.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { callLoop } from '../../src/run/calls/call-loop.ts';
import { createCharges } from '../../src/run/calls/charges.ts';
import { createRouter } from '../../src/run/calls/router.ts';
import { createStartBudget } from '../../src/run/calls/start-budget.ts';
import { ingest } from '../../src/run/list/ingest.ts';
import type { ServiceClient } from '../../src/run/run-parts.ts';
import { queueTerms } from '../../src/run/terms-of-job.ts';
import { createFakeClock } from './fake-clock.ts';

/** A list in memory. */
export function listOf(
  columns: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): OpenInput {
  const numbered = rows.map((cells, index) => ({ number: index + 1, line: index + 2, cells }));
  return {
    name: 'a list',
    format: 'csv',
    columns,
    hasHeader: true,
    notes: () => [],
    guesses: [],
    guessedEncoding: () => undefined,
    rows: inTurn(numbered),
    batches: inTurn([numbered]),
    sizeBytes: undefined,
    bytesRead: () => 0,
    [Symbol.asyncDispose]: async () => {},
  };
}

async function* inTurn<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** A run in a ledger, with its queue. */
export interface TestRun {
  readonly ledger: Ledger;
  readonly job: ResolvedJob;
  readonly run: Run;
  readonly queue: RunQueue;
}

/** Starts a run in the ledger, without rows or calls. */
export function startTestRun(
  ledger: Ledger,
  job: ResolvedJob,
  startedAt = 1_000,
  follows?: Run,
): TestRun {
  const run = ledger.runs.start({
    job: job.name,
    kind: job.input.maxRows === undefined ? 'whole' : 'trial',
    jobFingerprint: 'f',
    outcomeSettingsHash: 'v',
    inputStamp: null,
    inputName: 'a list',
    inputPath: job.input.path,
    list: job.list,
    listId: ledger.lists.begin(),
    rowLimit: job.input.maxRows ?? null,
    services: [job.services[0].url],
    columns: [],
    hasPeople: job.people !== undefined,
    startedAt,
  });
  const misses = { vanishedCallIds: [], distrusted: [] };
  const queued = { ...run, ...misses, paidSince: startedAt, follows: follows ?? null };
  return { ledger, job, run, queue: openQueue(ledger, queued, queueTerms(job)) };
}

/** Starts a run over a list. */
export async function ingestTestRun(
  ledger: Ledger,
  job: ResolvedJob,
  input: OpenInput,
  startedAt?: number,
  follows?: Run,
): Promise<TestRun> {
  const started = startTestRun(ledger, job, startedAt, follows);
  const { id } = started.run;
  const { inputSha256, keyColumns } = await ingest(started.queue, job, input);
  const listId = ledger.lists.complete(started.run.listId);
  const list = { columns: input.columns, keyColumns, inputSha256, listId };
  ledger.runs.completeIngest({ id, job: job.name }, list);
  return { ...started, run: ledger.runs.get(id) ?? started.run };
}

const never = new AbortController().signal;

/** How the calls of a job are made that nothing stops. */
export function callingOptions(
  queue: RunQueue,
  job: ResolvedJob,
  clock: Clock,
  budget = createStartBudget(job),
) {
  const { limits } = job;
  const charges = createCharges(queue, clock, budget);
  const services = [{ attempts: limits.attempts }];
  return { clock, limits, services, charges, stopping: never, signal: never };
}

/** Makes all calls of a run. */
export async function completeTestRun(
  { queue, job }: Pick<TestRun, 'queue' | 'job'>,
  api: ServiceClient,
  startedAt?: number,
): Promise<Counts> {
  const options = callingOptions(queue, job, createFakeClock(startedAt));
  return await callLoop(
    queue,
    createRouter(async () => api),
    options,
  );
}
