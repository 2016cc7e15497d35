import { DossierError } from '../../core/errors.ts';
import type { RegisterRow } from '../../core/rules/next-candidate.ts';
import {
  hasReadTheSame,
  isResumableWithoutList,
  type ListContent,
} from '../../core/rules/resume.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { hasStoppedAtRecheck } from '../queue/misses/recheck.ts';
import { distrustedServices } from '../queue/misses/stored-misses.ts';
import type { QueueTerms } from '../queue/queue-terms.ts';

/** What a run that begins takes from the runs before it. */
export interface EarlierRuns {
  /** An unfinished run of a list that may be gone. Its answers may have expired. */
  findStored(inputPath: string): Run | undefined;
  /** An unfinished run of the same list, whose answers are still fresh. */
  findSameList(list: Omit<ListContent, 'jobFingerprint'>, asOf: number): Run | undefined;
  /** The last run of the list, with its key columns. */
  lastKeyed(inputPath: string): Run | undefined;
  /** By key, the rows that had something from a register. `dossier fix` keeps that of all rows. */
  registerRows(run: Run): ((key: string) => RegisterRow | undefined) | undefined;
  /** The names of services whose first misses are not believed. */
  distrusted(): string[];
}

export function runsBefore(
  ledger: Ledger,
  { job, jobFingerprint, services, isFix = false }: QueueTerms,
): EarlierRuns {
  return {
    findStored(inputPath) {
      const newest = ledger.runs.newest(job);
      const isStored = newest && isResumableWithoutList(newest, { jobFingerprint, inputPath });
      return isStored ? newest : undefined;
    },
    findSameList(list, asOf) {
      const newest = ledger.runs.newest(job);
      if (!newest || !hasReadTheSame(newest, { ...list, jobFingerprint })) return undefined;
      // A run with an expired answer is not continued; a new run reuses the other answers.
      const isFresh = asOf < ledger.progress.freshUntil(newest.id);
      return isFresh && !hasStoppedAtRecheck(ledger, newest) ? newest : undefined;
    },
    lastKeyed: (inputPath) => ledger.runs.newestKeyed(job, inputPath),
    registerRows: ({ listId, registerSources }) =>
      registerSources ? ledger.registerRows(listId, isFix) : undefined,
    distrusted: () => distrustedServices(ledger, job, services).map(({ name }) => name),
  };
}

/**
 * The run whose outcomes may be kept. `run` may have fewer columns, because JSON lines gain columns
 * while they are read.
 */
export function runFollowed({ runs }: Ledger, run: Run): Run | null {
  const [last] = runs.comparable(run);
  const isSame = last?.prunedAt === null && last.outcomeSettingsHash === run.outcomeSettingsHash;
  return isSame && run.columns.every((name, at) => name === last.columns[at]) ? last : null;
}

export function requireFollowed(ledger: Ledger, run: Run): Run {
  const { job } = run;
  const newest = ledger.runs.newest(job);
  const isUnfinished = newest?.state === 'open' && newest.jobFingerprint !== run.jobFingerprint;
  if (isUnfinished) throw needsRun(`${runName(newest)} of ${job} has not finished`);
  const last = ledger.runs.newestFinished(job);
  if (!last) throw needsRun(`${job} has no finished run to add the corrections to`);
  if (last.held) {
    throw needsRun(
      `the result of ${runName(last)} is held, and corrections can only be added to a published result`,
    );
  }
  const followed = runFollowed(ledger, run);
  if (followed) return followed;
  throw needsRun(`the job or the columns of its list have changed since ${runName(last)}`);
}

function needsRun(message: string): DossierError {
  return new DossierError('FIX_NEEDS_RUN', message);
}
