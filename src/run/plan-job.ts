import { identifierKinds } from '../contract/identifier-kinds.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import {
  type Ledger,
  openLedger,
  openLedgerToRead,
  tellingTrouble,
} from '../ledger/open-ledger.ts';
import type { RowFigures } from '../ledger/planning.ts';
import type { RowCounts } from '../ledger/rows.ts';
import type { Run } from '../ledger/runs.ts';
import type { Clock } from '../runtime/clock.ts';
import { resumableRun, stampInput } from './choose-run.ts';
import type { IngestOptions } from './ingest.ts';
import { openFallbacks } from './open-fallbacks.ts';
import { type PlannedCalls, planCalls } from './plan-calls.ts';
import { type RunContext, readCounts } from './run-context.ts';
import { type AnswersAtHand, settleAtHand } from './settle-at-hand.ts';
import { startRun } from './start-run.ts';

export interface Plan {
  readonly job: ResolvedJob;
  readonly inputName: string;
  /** The unfinished run that would be taken up; the input is then not read again. */
  readonly resumed: { readonly run: Run; readonly rows: RowCounts } | undefined;
  readonly rows: RowFigures;
  readonly atHand: AnswersAtHand;
  readonly calls: PlannedCalls;
}

/**
 * Finds out what a run would do. It is drafted in a ledger of its own with the code of a run, up to
 * where the first call would leave; the ledger of the job is only read.
 */
export async function planJob(
  job: ResolvedJob,
  options: IngestOptions & { clock: Clock },
): Promise<Plan> {
  return await tellingTrouble(job.ledger, () => planWith(job, options));
}

async function planWith(
  job: ResolvedJob,
  options: IngestOptions & { clock: Clock },
): Promise<Plan> {
  using past = openLedgerToRead(job.ledger);
  using ledger = openLedger(':temporary:');
  const { draft, resumed } = await draftRun(ledger, past, job, options);
  const rows = ledger.planning.rows(draft.run.id);
  const atHand = settleAtHand(draft, past);
  const calls = planCalls(draft, () => openFallbacks(draft, past));
  return { job, inputName: draft.run.inputName, resumed, rows, atHand, calls };
}

async function draftRun(
  ledger: Ledger,
  past: Ledger | undefined,
  job: ResolvedJob,
  options: IngestOptions & { clock: Clock },
): Promise<{ draft: RunContext; resumed: Plan['resumed'] }> {
  const stamp = stampInput(job.input.path);
  const fingerprint = jobFingerprint(job);
  const basis = { job: job.name, jobFingerprint: fingerprint, input: stamp };
  const run = past && resumableRun(past, basis);
  if (!run) {
    const draft = await startRun(ledger, job, { fingerprint, stamp }, options);
    return { draft, resumed: undefined };
  }
  ledger.planning.copyRun(job.ledger, run.id);
  const counts = readCounts(ledger, run);
  const askedKinds = new Set(identifierKinds);
  const draft = { ledger, job, run, clock: options.clock, counts, askedKinds };
  return { draft, resumed: { run, rows: { ...counts.rows } } };
}
