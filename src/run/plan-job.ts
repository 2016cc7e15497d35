import type { ResolvedJob } from '../job/resolve-job.ts';
import {
  type Ledger,
  openLedger,
  openLedgerToRead,
  tellingTrouble,
} from '../ledger/open-ledger.ts';
import type { Counts } from '../ledger/runs/counts.ts';
import type { RowFigures } from '../ledger/runs/planning.ts';
import type { Run } from '../ledger/runs/runs.ts';
import { openQueue } from '../queue/open-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import type { IngestOptions } from './ingest.ts';
import { findBasis, type OpenRun, queueTerms, resumeRun, startRun } from './open-run.ts';
import { countCalls, type PlannedCalls } from './plan/count-calls.ts';
import { openFallbacks } from './plan/open-fallbacks.ts';
import { type CacheHits, openPastAnswers, type PastAnswers } from './plan/past-answers.ts';

export interface Plan {
  readonly job: ResolvedJob;
  readonly inputName: string;
  /** The unfinished run that would be taken up; the input is then not read again. */
  readonly resumed: { readonly run: Run; readonly rows: Counts['rows'] } | undefined;
  readonly rows: RowFigures;
  readonly atHand: CacheHits;
  readonly calls: PlannedCalls;
}

type PlanOptions = IngestOptions & { readonly clock: Clock };

/**
 * Finds out what a run would do. It is a run that never calls: the same queue, over a scratch ledger,
 * takes the cache hits from the ledger of the job, which is only read.
 */
export async function planJob(job: ResolvedJob, options: PlanOptions): Promise<Plan> {
  return await tellingTrouble(job.ledger, () => planWith(job, options));
}

async function planWith(job: ResolvedJob, options: PlanOptions): Promise<Plan> {
  using past = openLedgerToRead(job.ledger);
  using scratch = openLedger(':temporary:');
  const { run, queue, counts, answers, isResumed } = await draftRun(scratch, past, job, options);
  const rows = scratch.planning.rows(run.id);
  let left: string;
  do ({ left } = await queue.exchange([], 0));
  while (left === 'unseen');
  const calls = countCalls(scratch, run.id, job.people, () =>
    openFallbacks(scratch, run.id, job.service.url, answers),
  );
  const resumed = isResumed ? { run, rows: counts.rows } : undefined;
  return { job, inputName: run.inputName, resumed, rows, atHand: answers.hits, calls };
}

async function draftRun(
  scratch: Ledger,
  past: Ledger | undefined,
  job: ResolvedJob,
  options: PlanOptions,
): Promise<OpenRun & { answers: PastAnswers; isResumed: boolean }> {
  const basis = findBasis(past, job);
  const terms = queueTerms(job);
  const { promise, resolve } = Promise.withResolvers<PastAnswers>();
  const open = async (run: Run) => {
    const answers = openPastAnswers(past, scratch, run, terms);
    resolve(answers);
    return openQueue(scratch, run, terms, answers);
  };
  const { unfinished } = basis;
  if (unfinished) scratch.planning.copyRun(job.ledger, unfinished.id);
  const opened = unfinished
    ? await resumeRun(unfinished, open)
    : await startRun(scratch, job, basis, open, options);
  return { ...opened, answers: await promise, isResumed: unfinished !== undefined };
}
