import { parseCall } from '../../contract/call.ts';
import { callKey } from '../../ledger/calls/call-key.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type AnswerSource, type CachedAnswer, cacheOf } from '../answer-source.ts';
import type { QueuedRun, QueueTerms } from '../queue-state.ts';

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
