import type { ResolvedJob } from '../job/resolved-job.ts';
import { withDraft } from '../queue/plan/draft-run.ts';
import { totalRows } from '../rules/outcomes.ts';
import { openRun, queueTerms, type ReadingOptions } from './open-run.ts';
import { findReplaced } from './result-places.ts';

export type Plan = Awaited<ReturnType<typeof planJob>>;

/**
 * Finds out what a run would do. A plan is a run that never calls: the same queue, over a scratch
 * ledger, takes cache hits from the ledger of the job, which is only read.
 */
export async function planJob(job: ResolvedJob, options: ReadingOptions) {
  return await withDraft(queueTerms(job), async (draft) => {
    const { run, queue, counts, isResumed, notes } = await openRun(draft, job, options);
    return {
      ...(await draft.plan(run, queue)),
      job,
      inputName: run.inputName,
      /** What was guessed to read the list. */
      notes,
      /** The result that a run would replace by one of fewer rows. */
      replaces: await findReplaced(job, run, totalRows(counts)),
      /** The unfinished run that would be resumed; its list is then not read again. */
      resumed: isResumed ? { run, rows: counts.rows } : undefined,
    };
  });
}
