import { DossierError } from '../errors.ts';
import type { OpenCall } from '../ledger/calls/calls.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { runName } from '../ledger/runs/runs.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { PeopleTerms } from '../rules/people-search.ts';
import type { ReuseTerms } from '../rules/reuse.ts';
import type { AnswerSource, CachedAnswer } from './answer-source.ts';
import type { LeasedCall } from './run-queue.ts';
import type { SpendTerms } from './spend/count-spend.ts';

/** What a queue needs to know of its job. Plain data, so that it can go to another thread. */
export interface QueueTerms {
  readonly job: string;
  /** Part of the key of every call. */
  readonly serviceUrl: string;
  readonly reuse: ReuseTerms;
  /** Answers are asked again on purpose: only a run of the same refresh has paid for what need not be. */
  readonly isRefresh?: boolean;
  /** Rows of the last run keep their outcomes, however old: only other rows are asked for. */
  readonly keepsOutcomes?: boolean;
  readonly onMismatch: 'keep' | 'reject';
  readonly people: PeopleTerms | undefined;
  /** Undefined where nothing is charged: for sample data and plans. */
  readonly spend?: SpendTerms | undefined;
  /** Path of the ledger, beside which the locks of other jobs lie. */
  readonly ledgerPath: string;
  /** A ledger that is not there is an error, and is not made. */
  readonly ledgerMustExist?: boolean;
}

/** What every part of a queue works with. */
export type QueueState = ReturnType<typeof openQueueState>;

/** Notes when an answer expires that the run has taken from the cache. */
export function noteExpiry(state: QueueState, { freshUntil }: Pick<CachedAnswer, 'freshUntil'>) {
  state.freshUntil = Math.min(state.freshUntil, freshUntil);
}

export interface QueuedRun {
  readonly id: number;
  /** The version of the list that it reads. */
  readonly listId: number;
  /** The last finished run, where this one would come to the same by the same answers. */
  readonly follows?: { readonly id: number; readonly listId: number } | undefined;
  readonly hasPeople: boolean;
  readonly startedAt: number;
  /** Token of the process that has taken the run. */
  readonly owner: string | null;
  readonly lastStartedAt: number;
  /** Since when answers are the run's own; its start where that is not given. */
  readonly ownSince?: number | undefined;
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface WritableCounts extends Writable<Omit<Counts, 'rows' | 'calls'>> {
  readonly rows: Writable<Counts['rows']>;
  readonly calls: Writable<Counts['calls']>;
}

export function openQueueState(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  /** Where cache hits come from. */
  source: AnswerSource,
) {
  return {
    ledger,
    run,
    terms,
    source,
    counts: copyCounts(ledger.counts(run.id)),
    /** Calls that were leased and not yet answered. */
    leased: new Map<number, OpenCall & Pick<LeasedCall, 'call'>>(),
    /** When the first of the answers expires that the run has taken from the cache. */
    freshUntil: ledger.progress.freshUntil(run.id),
  };
}

/** The counts at this moment, which later changes leave as they are. */
export function copyCounts(counts: Counts): WritableCounts {
  return { ...counts, rows: { ...counts.rows }, calls: { ...counts.calls } };
}

/**
 * Refuses to write for a run that another process has taken: its lock was lost, and both would pay for
 * the same calls. Runs inside a transaction.
 */
export function requireOwned(
  { runs }: Pick<Ledger, 'runs'>,
  run: Pick<QueuedRun, 'id' | 'owner'>,
): void {
  if (runs.ownerOf(run.id) === run.owner) return;
  const message = `another process has taken over ${runName(run)}, since its lock was removed`;
  throw new DossierError('RUN_TAKEN', message);
}
