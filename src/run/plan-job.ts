import type { ResolvedJob } from '../job/resolved-job.ts';
import { type PlanFigures, withDraft } from '../queue/plan/draft-run.ts';
import { type Counts, totalRows } from '../rules/outcomes.ts';
import { type OpenRun, openRun, queueTerms, type ReadingOptions } from './open-run.ts';
import { findReplaced, type ReplacedResult } from './places/result-places.ts';

export interface Plan extends PlanFigures {
  readonly job: ResolvedJob;
  readonly inputName: string;
  /** What was guessed to read the list. */
  readonly notes: readonly string[];
  /** The result that a run would replace by one of fewer rows. */
  readonly replaces: ReplacedResult | undefined;
  /** The unfinished run that would be resumed; its list is then not read again. */
  readonly resumed: { readonly run: OpenRun['run']; readonly rows: Counts['rows'] } | undefined;
}

/**
 * Finds out what a run would do. A plan is a run that never calls: the same queue, over a scratch
 * ledger, takes cache hits from the ledger of the job, which is only read.
 */
export async function planJob(job: ResolvedJob, options: ReadingOptions): Promise<Plan> {
  return await withDraft(queueTerms(job), async (draft) => {
    const { run, queue, counts, isResumed, notes } = await openRun(draft, job, options);
    const figures = await draft.plan(run, queue);
    const resumed = isResumed ? { run, rows: counts.rows } : undefined;
    const replaces = await findReplaced(job, run, totalRows(counts));
    return { job, inputName: run.inputName, notes, replaces, resumed, ...figures };
  });
}
