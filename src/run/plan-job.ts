import { type Counts, totalRows } from '../core/rules/outcomes.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import { type PlannedRows, withPlanLedger } from '../engine/runs/plan-run.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { readExclusions } from '../lists/read-suppressed.ts';
import { findReplaced, type ReplacedResult } from './export/destinations.ts';
import { openRun, type ReadingOptions } from './open-run.ts';
import type { HeldList } from './run-parts.ts';
import { queueTerms } from './terms-of-job.ts';

/** What a run would ask and pay, found on a ledger of its own that is thrown away. */
export interface Plan extends PlannedRows {
  readonly job: ResolvedJob;
  readonly held: HeldList | undefined;
  readonly clockAhead: string | undefined;
  readonly inputName: string;
  readonly notes: readonly string[];
  readonly replaces: ReplacedResult | undefined;
  readonly resumed: { readonly run: Run; readonly rows: Counts['rows'] } | undefined;
}

export async function planJob(
  job: ResolvedJob,
  options: ReadingOptions,
  isFix?: boolean,
): Promise<Plan> {
  const { exclusions, notes: read } = await readExclusions(job, options.signal);
  const terms = queueTerms(job, undefined, exclusions, isFix);
  return await withPlanLedger(terms, async (planned) => {
    let held: HeldList | undefined;
    const onListHeld = (list: HeldList) => {
      held = list;
    };
    const opened = await openRun(planned, job, { ...options, isDraft: true, onListHeld });
    const { run, queue, counts, isResumed, notes } = opened;
    return {
      ...(await planned.plan(run, queue)),
      job,
      held,
      clockAhead: planned.clockAhead(options.clock.wallMs()),
      inputName: run.inputName,
      notes: [...read, ...notes],
      replaces: await findReplaced(job, run, totalRows(counts)),
      resumed: isResumed ? { run, rows: counts.rows } : undefined,
    };
  });
}
