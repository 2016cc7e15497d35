import { parseCall } from '../contract/call.ts';
import type { KnownAnswer } from '../ledger/calls/answers.ts';
import { callKey } from '../ledger/calls/call-key.ts';
import type { OpenCall } from '../ledger/calls/calls.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type CacheHit, chooseCached } from '../rules/reuse.ts';
import type { QueuedRun, QueueTerms } from './queue-state.ts';

/** A cache hit as the ledger knows it. */
export type CachedAnswer = CacheHit<KnownAnswer>;

/** A call that may have a cache hit. */
export type CachedTask = Pick<OpenCall, 'callId' | 'request' | 'searchId' | 'mayBeCached'>;

/** Where a queue finds answers that it need not pay for. */
export interface AnswerSource {
  /** The cache hits among open calls, by the ids of the calls. */
  find(tasks: readonly CachedTask[]): ReadonlyMap<number, CachedAnswer>;
  /** The body of a people page; undefined where it is damaged, and then it is no cache hit any more. */
  readPage(answerId: number): Buffer | undefined;
}

/** Chooses the cache hit of a call by its newest answer in a ledger, or by that of another identifier. */
export function cacheOf({ calls }: Ledger, run: QueuedRun, { serviceUrl, reuse }: QueueTerms) {
  return (request: string, callId: number | undefined, own: KnownAnswer | undefined) => {
    const key = callKey(serviceUrl, request);
    return chooseCached({
      operation: parseCall(request).operation,
      key,
      reuse,
      asOf: run.lastStartedAt,
      ownSince: run.ownSince ?? run.startedAt,
      own,
      isOwnJoined: own?.callId !== callId,
      findAlias: () => calls.aliasAnswer(key, run.startedAt),
    });
  };
}

/** The answers of the ledger that the queue itself writes to. */
export function ownAnswers(ledger: Ledger, run: QueuedRun, terms: QueueTerms): AnswerSource {
  const { calls } = ledger;
  const choose = cacheOf(ledger, run, terms);
  return {
    find(tasks) {
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
    readPage(answerId) {
      const body = calls.body(answerId);
      if (!body) calls.discardAnswer(answerId);
      return body ?? undefined;
    },
  };
}
