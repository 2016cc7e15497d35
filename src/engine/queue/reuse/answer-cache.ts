import { operationOf } from '../../../core/contract/call.ts';
import { laterCandidates } from '../../../core/rules/next-candidate.ts';
import { type CacheHit, chooseCached } from '../../../core/rules/reuse.ts';
import type { KnownAnswer } from '../../ledger/calls/answers.ts';
import { callKey, type KeyedCall } from '../../ledger/calls/call-key.ts';
import type { OpenCall } from '../../ledger/calls/open-calls.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { AskedCall, AskedService, AskedServices } from '../asked-services.ts';
import { missRuleFor } from '../misses/stored-misses.ts';
import type { QueuedRun } from '../queue-terms.ts';
import type { IdentifiedRow } from '../run-queue.ts';

export type CachedTask = Pick<
  OpenCall,
  'callId' | 'text' | 'searchId' | 'mayBeCached' | 'serviceId'
>;

export type CachedAnswer = CacheHit<KnownAnswer>;

/** The answer may belong to another identifier of the same company. */
function cacheRuleFor(ledger: Ledger, run: QueuedRun) {
  const reusable = missRuleFor(ledger, run);
  const countedAt = ledger.clock.countedAt(run.lastStartedAt);
  const withCountedDate = (answer: KnownAnswer): KnownAnswer => {
    const fetchedAt = countedAt(answer.id, answer.fetchedAt);
    return fetchedAt === answer.fetchedAt ? answer : { ...answer, fetchedAt };
  };
  return (
    service: Pick<AskedService, 'identity' | 'reuse'>,
    { key, text }: KeyedCall,
    callId: number | undefined,
    stored: KnownAnswer | undefined,
  ) => {
    const newest = stored && reusable(service.identity, callId, withCountedDate(stored));
    return chooseCached({
      operation: operationOf(text),
      key,
      reuse: service.reuse,
      asOf: run.lastStartedAt,
      paidSince: run.paidSince,
      newest,
      isNewestFromAlias: newest?.callId !== callId,
      findAlias: () => ledger.calls.aliasAnswer(key, run.startedAt, withCountedDate),
    });
  };
}

/** Which answers a run may reuse. A plan reads them from another ledger. */
export interface AnswerCache {
  /** By call id. */
  find(tasks: readonly CachedTask[]): Map<number, CachedAnswer>;
  /** For calls that may be unknown. */
  chooseAll(asked: readonly AskedCall[]): (ChosenAnswer | undefined)[];
  choose(call: AskedCall): ChosenAnswer | undefined;
  /** Undefined if it is damaged. */
  readBody(answerId: number): Buffer | undefined;
}

/** With the id of its call, if that call was ever made. */
export type ChosenAnswer = CachedAnswer & { readonly callId: number | undefined };

export function createAnswerCache(
  ledger: Ledger,
  run: QueuedRun,
  services: AskedServices,
): AnswerCache {
  const { calls } = ledger;
  const choose = cacheRuleFor(ledger, run);
  const chooseAll = (asked: readonly AskedCall[]) => {
    const newest = calls.newestAt(asked.map(({ key }) => key));
    return asked.map((call, index) => {
      const own = newest.get(index);
      const hit = choose(services.at(call.serviceIndex), call, own?.servedId, own);
      return hit && { ...hit, callId: own?.servedId };
    });
  };
  return {
    find(tasks) {
      const cachedByCall = new Map<number, CachedAnswer>();
      const candidates = tasks.filter(({ mayBeCached }) => mayBeCached === 1);
      if (candidates.length === 0) return cachedByCall;
      const newest = calls.newestAnswers(candidates.map(({ callId }) => callId));
      for (const task of candidates) {
        const { callId, text } = task;
        const service = services.ofCall(task);
        const key = callKey(service.identity, text);
        const cached = choose(service, { key, text }, callId, newest.get(callId));
        if (cached) cachedByCall.set(callId, cached);
      }
      return cachedByCall;
    },
    chooseAll,
    choose: (call) => chooseAll([call])[0],
    readBody(answerId) {
      const body = calls.body(answerId);
      if (!body) calls.discardAnswer(answerId);
      return body ?? undefined;
    },
  };
}

/**
 * A fresh hit of any service comes before any call. Only answers from before the run count, so that
 * their order of arrival decides nothing. A job with one service asks its candidates in order.
 */
export function findFreshHit(
  {
    run,
    cache,
    services,
  }: {
    readonly run: QueuedRun;
    readonly cache: AnswerCache;
    readonly services: AskedServices;
  },
  { country, candidates }: Pick<IdentifiedRow, 'country' | 'candidates'>,
) {
  if (!services.isWaterfall || !country) return undefined;
  for (const place of laterCandidates({ country, candidates }, services.takes)) {
    const hit = cache.choose(services.keyed(place.call, place.serviceIndex));
    if (hit?.answer.result === 'hit' && hit.answer.fetchedAt < run.startedAt) return { place, hit };
  }
  return undefined;
}
