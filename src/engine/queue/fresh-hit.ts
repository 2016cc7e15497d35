import { laterCandidates } from '../../core/rules/next-candidate.ts';
import type { QueueState } from './queue-state.ts';
import type { IdentifiedRow } from './run-queue.ts';

/**
 * A fresh hit of any service comes before any call. Only answers from before the run count, so that
 * their order of arrival decides nothing. A job with one service asks its candidates in order.
 */
export function findFreshHit(
  { run, cache, services }: Pick<QueueState, 'run' | 'cache' | 'services'>,
  { country, candidates }: Pick<IdentifiedRow, 'country' | 'candidates'>,
) {
  if (!services.isWaterfall || !country) return undefined;
  for (const place of laterCandidates({ country, candidates }, services.takes)) {
    const hit = cache.choose(services.keyed(place.call, place.serviceIndex));
    if (hit?.answer.result === 'hit' && hit.answer.fetchedAt < run.startedAt) return { place, hit };
  }
  return undefined;
}
