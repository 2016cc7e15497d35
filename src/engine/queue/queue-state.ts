import { DossierError } from '../../core/errors.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import type { PeopleTerms } from '../../core/rules/people-search.ts';
import { type CacheHit, chooseCached, type ReuseTerms } from '../../core/rules/reuse.ts';
import { type LeftOut, openSuppression } from '../../core/rules/suppression.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import { callKey } from '../ledger/calls/call-key.ts';
import type { OpenCall } from '../ledger/calls/calls.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { runName } from '../ledger/runs/runs.ts';
import type { SpendTerms } from './count-spend.ts';
import type { LeasedCall } from './run-queue.ts';

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
  readonly people: PeopleTerms | undefined;
  /** Absent where nothing is left out. */
  readonly leftOut?: LeftOut | undefined;
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
  /** Calls for known companies that missed in a held run: their misses are not reused, and ten are made first. */
  readonly suspects?: readonly number[] | undefined;
  /** The service has not found a company in ten lookups or more, and may be the wrong one: no miss is reused. */
  readonly isBlind?: boolean | undefined;
}

/** A cache hit as the ledger knows it. */
export type CachedAnswer = CacheHit<KnownAnswer>;

/** A call that may have a cache hit. */
type CachedTask = Pick<OpenCall, 'callId' | 'request' | 'searchId' | 'mayBeCached'>;

export function operationOf(request: string) {
  return request.startsWith('people?') ? 'people' : 'company';
}

/** Chooses the cache hit of a call by its newest answer in a ledger, or by that of another identifier. */
export function cacheOf({ calls }: Ledger, run: QueuedRun, { serviceUrl, reuse }: QueueTerms) {
  const suspects = new Set(run.suspects);
  const since = run.ownSince ?? run.startedAt;
  const reused = run.isBlind ? { ...reuse, missesMs: 0 } : reuse;
  return (request: string, callId: number | undefined, newest: KnownAnswer | undefined) => {
    const isSuspect =
      suspects.has(callId ?? 0) && newest?.outcome !== 'hit' && (newest?.fetchedAt ?? 0) < since;
    const own = isSuspect ? undefined : newest;
    const key = callKey(serviceUrl, request);
    return chooseCached({
      operation: operationOf(request),
      key,
      reuse: reused,
      asOf: run.lastStartedAt,
      ownSince: since,
      own,
      isOwnJoined: own?.callId !== callId,
      findAlias: () => calls.aliasAnswer(key, run.startedAt),
    });
  };
}

/** Where a queue finds answers that it need not pay for: in the ledger that it writes to. */
export function ownAnswers(ledger: Ledger, run: QueuedRun, terms: QueueTerms) {
  const { calls } = ledger;
  const choose = cacheOf(ledger, run, terms);
  return {
    /** The cache hits among open calls, by the ids of the calls. */
    find(tasks: readonly CachedTask[]) {
      const found = new Map<number, CachedAnswer>();
      const candidates = tasks.filter(({ mayBeCached }) => mayBeCached === 1);
      if (candidates.length === 0) return found;
      const newest = calls.newestAnswers(candidates.map(({ callId }) => callId));
      for (const { callId, request } of candidates) {
        const cached = choose(request, callId, newest.get(callId));
        if (cached) found.set(callId, cached);
      }
      return found;
    },
    /** The body of an answer; undefined where it is damaged, and then it is no cache hit any more. */
    readBody(answerId: number): Buffer | undefined {
      const body = calls.body(answerId);
      if (!body) calls.discardAnswer(answerId);
      return body ?? undefined;
    },
  };
}

export type AnswerSource = ReturnType<typeof ownAnswers>;

export function openQueueState(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  source: AnswerSource = ownAnswers(ledger, run, terms),
) {
  const suppression = openSuppression([
    ...(terms.leftOut?.suppressed ?? []),
    ...ledger.forgotten.sets(),
  ]);
  return {
    ledger,
    run,
    terms,
    source,
    suppression,
    /** Whether a row asks for something that is suppressed, be it only after a miss. */
    isSuppressed: ({ candidates }: { readonly candidates: readonly RowCandidate[] }) =>
      candidates.some(([kind, value]) => suppression.has({ kind, value })),
    counts: ledger.progress.of(run.id),
    /** The calls that are made before all others, once they are known; null when there are none left. */
    probe: undefined as
      | {
          readonly callIds: Set<number>;
          asked: number;
          missed: number;
        }
      | null
      | undefined,
    /** Calls that were leased and not yet answered. */
    leased: new Map<number, OpenCall & Pick<LeasedCall, 'call'>>(),
    /** When the first of the answers expires that the run has taken from the cache. */
    freshUntil: ledger.progress.freshUntil(run.id),
  };
}

/**
 * Refuses to write for a run that another process has taken: its lock was lost, and both would pay for
 * the same calls. Runs inside a transaction.
 */
export function requireOwned({ runs }: Ledger, run: Pick<QueuedRun, 'id' | 'owner'>): void {
  if (runs.ownerOf(run.id) === run.owner) return;
  const message = `another process has taken over ${runName(run)}, since its lock file was removed; leave the lock files of a ledger in use where they are`;
  throw new DossierError('JOB_BUSY', message);
}
