import { laterCandidates, type WaitingRow } from '../../core/rules/next-candidate.ts';
import { rowOutcomeFor } from '../../core/rules/row-outcome.ts';
import type { QueueState } from './queue-state.ts';

/**
 * A row starts at a later service only if cached answers find it there and not at the first. At each
 * service its candidates stay in order, so with a second service, too, no later candidate decides
 * before an earlier one. Only answers from before the run count: their order of arrival must not decide.
 */
export function firstServiceFor(
  { run, cache, services }: Pick<QueueState, 'run' | 'cache' | 'services'>,
  row: Pick<WaitingRow, 'country' | 'candidates'>,
): number {
  const isFoundAt = (serviceIndex: number) => {
    for (const place of laterCandidates({ ...row, serviceIndex }, services.takes)) {
      if (place.serviceIndex !== serviceIndex) return false;
      const hit = cache.choose(services.keyed(place.call, serviceIndex));
      if (!hit || hit.answer.fetchedAt >= run.startedAt) return false;
      const { status, next } = rowOutcomeFor(hit.answer, hit.source);
      if (next !== 'candidate') return status === 'matched';
    }
    return false;
  };
  const later = services.list.slice(1).find(({ index }) => isFoundAt(index));
  return later && !isFoundAt(0) ? later.index : 0;
}
