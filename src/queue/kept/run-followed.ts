import { DossierError } from '../../errors.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import type { QueueTerms } from '../queue-state.ts';

/** The run whose outcomes stand in another one, as far as its terms let them. */
export function findFollowed(
  ledger: Ledger,
  run: Run,
  { keepsOutcomes }: QueueTerms,
): Run | undefined {
  return keepsOutcomes ? requireFollowed(ledger, run) : runFollowed(ledger, run);
}

/**
 * The run that this one is compared with, where this one would come to the same records by the same answers. Cells
 * under another header make other records. Of JSON lines not every column may be known yet.
 */
function runFollowed({ runs }: Ledger, run: Run): Run | undefined {
  const [last] = runs.comparable(run);
  const isSame = last?.prunedAt === null && last.verdictTerms === run.verdictTerms;
  return isSame && run.columns.every((name, at) => name === last.columns[at]) ? last : undefined;
}

/** The run whose outcomes all stand in one that only mends rows. Refuses where there is none. */
export function requireFollowed(ledger: Ledger, run: Run): Run {
  const { job } = run;
  const newest = ledger.runs.newest(job);
  const isUnfinished = newest?.state === 'open' && newest.jobFingerprint !== run.jobFingerprint;
  if (isUnfinished) throw needsRun(`${runName(newest)} of ${job} has not finished`);
  const last = ledger.runs
    .list(job)
    .find(({ id, state, rowLimit }) => id < run.id && state === 'finished' && rowLimit === null);
  if (!last) throw needsRun(`${job} has no finished run whose rows could stand`);
  if (last.held) {
    throw needsRun(`the result of ${runName(last)} is held, so that its rows cannot stand`);
  }
  const followed = runFollowed(ledger, run);
  if (followed) return followed;
  throw needsRun(`the job or the columns of its list have changed since ${runName(last)}`);
}

function needsRun(message: string): DossierError {
  return new DossierError('MEND_NEEDS_RUN', message);
}
