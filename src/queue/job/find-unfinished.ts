import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import {
  hasReadTheSame,
  isResumable,
  type ListContent,
  ownAnswersSince,
  type RunBasis,
} from '../../rules/resume.ts';
import type { QueueTerms } from '../queue-state.ts';

/** Since when answers are a run's own, those of unfinished runs that it replaces included. */
export function ownSince(
  runs: Pick<Ledger['runs'], 'unfinishedSince'>,
  run: Run,
  { isRefresh }: Pick<QueueTerms, 'isRefresh'>,
): number {
  return ownAnswersSince(run, runs.unfinishedSince(run, isRefresh ? run.jobFingerprint : null));
}

/** The unfinished run that asks the same of the same list, and whose cache hits are still fresh. */
export function findUnfinished(
  ledger: Pick<Ledger, 'runs' | 'progress'>,
  { job }: Pick<QueueTerms, 'job'>,
  basis: RunBasis,
  asOf: number,
): Run | undefined {
  const newest = ledger.runs.newest(job);
  if (!newest || !isResumable(newest, basis)) return undefined;
  // A list that is gone cannot be read anew.
  return basis.input.kind === 'gone' || isStillFresh(ledger, newest, asOf) ? newest : undefined;
}

/** The unfinished run over a list with this content, whose cache hits are still fresh. */
export function findSameList(
  ledger: Pick<Ledger, 'runs' | 'progress'>,
  { job }: Pick<QueueTerms, 'job'>,
  list: ListContent,
  asOf: number,
): Run | undefined {
  const newest = ledger.runs.newest(job);
  if (!newest || !hasReadTheSame(newest, list)) return undefined;
  return isStillFresh(ledger, newest, asOf) ? newest : undefined;
}

/**
 * Whether no cache hit of an unfinished run has become stale since. Where one has, a new run over the
 * list asks for it anew, and takes what the unfinished run has paid for.
 */
function isStillFresh({ progress }: Pick<Ledger, 'progress'>, { id }: Run, asOf: number): boolean {
  return asOf < progress.freshUntil(id);
}
