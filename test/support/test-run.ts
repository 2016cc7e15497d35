import type { OpenInput } from '../../src/input/open-input.ts';
import type { ResolvedJob } from '../../src/job/resolve-job.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import { ingest } from '../../src/run/ingest.ts';
import { type RunContext, readCounts } from '../../src/run/run-context.ts';
import { openFakeClock } from './fake-clock.ts';

/** A list that lies in memory. */
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

/** Starts a run in the ledger; nothing is asked yet. */
export function startTestRun(ledger: Ledger, job: ResolvedJob, startedAt = 1_000): RunContext {
  const run = ledger.runs.start({
    job: job.name,
    jobFingerprint: 'f',
    inputStamp: null,
    inputName: 'a list',
    columns: [],
    hasPeople: job.people !== undefined,
    startedAt,
  });
  const counts = readCounts(ledger, run);
  return { ledger, run, job, clock: openFakeClock(), counts, askedKinds: new Set() };
}

/** Starts a run over a list. */
export async function ingestTestRun(
  ledger: Ledger,
  job: ResolvedJob,
  input: OpenInput,
): Promise<RunContext> {
  const context = startTestRun(ledger, job);
  await ingest(context, input);
  return { ...context, run: ledger.runs.get(context.run.id) ?? context.run };
}
