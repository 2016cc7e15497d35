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
function cacheOf({ calls }: Ledger, run: QueuedRun, { serviceUrl, reuse }: QueueTerms) {
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

/** Calls that a run would not make, by what the ledger knows instead. */
export interface CacheHits {
  companies: number;
  /** Companies that the service did not know, or did not want to be asked for. */
  misses: number;
  peoplePages: number;
}

export interface PastAnswers extends AnswerSource {
  /** What was found so far. */
  readonly hits: CacheHits;
  /** Whether a call would be completed from the cache. */
  has(request: string): boolean;
}

/**
 * The answers of the job's ledger, which is only read, for a queue over a scratch ledger: each that is
 * found is copied there without its body, since the scratch ledger numbers calls and answers itself.
 */
export function openPastAnswers(
  past: Ledger | undefined,
  scratch: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
): PastAnswers {
  const hits: CacheHits = { companies: 0, misses: 0, peoplePages: 0 };
  /** Ids of the answers in the job's ledger by those of their copies. */
  const originals = new Map<number, number>();

  const chooseIn = past && cacheOf(past, run, terms);
  const choose = (request: string): CachedAnswer | undefined => {
    if (!past) return undefined;
    // A call that was never asked may be answered under another identifier all the same.
    const callId = past.calls.find(callKey(terms.serviceUrl, request));
    const own = callId === undefined ? undefined : past.calls.newestAnswer(callId);
    const hit = chooseIn?.(request, callId, own);
    const isPage = parseCall(request).operation === 'people' && hit?.answer.outcome === 'hit';
    // A run finds that a page is damaged, and asks for it again.
    return isPage && !past.calls.body(hit.answer.id) ? undefined : hit;
  };

  const count = (request: string, { answer }: CachedAnswer) => {
    if (parseCall(request).operation === 'people') hits.peoplePages += 1;
    else if (answer.outcome === 'hit') hits.companies += 1;
    else hits.misses += 1;
  };

  return {
    hits,
    has: (request) => choose(request) !== undefined,
    find(tasks) {
      const chosen = tasks.flatMap((task) => {
        const cached = choose(task.request);
        return cached ? [{ task, cached }] : [];
      });
      const ids = scratch.calls.putAnswers(
        chosen.map(({ task, cached: { answer } }) => ({
          ...answer,
          callId: task.callId,
          status: null,
          attempts: 0,
          durationMs: 0,
          body: null,
        })),
      );
      return new Map(
        chosen.map(({ task, cached }, index) => {
          const id = ids[index] ?? 0;
          count(task.request, cached);
          if (task.searchId !== null) originals.set(id, cached.answer.id);
          const answer = { ...cached.answer, id, callId: task.callId };
          return [task.callId, { ...cached, answer }];
        }),
      );
    },
    readPage(answerId) {
      const original = originals.get(answerId);
      originals.delete(answerId);
      return (original !== undefined && past?.calls.body(original)) || undefined;
    },
  };
}
