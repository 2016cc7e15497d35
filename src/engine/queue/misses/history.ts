import { memo } from '../../../core/values/memo.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import type { AskedService } from '../asked-services.ts';
import { sinceLastResult } from './last-result.ts';

/** What services have found until now. A plan reads it from another ledger than its queue. */
export type History = ReturnType<typeof createHistory>;

export function createHistory(
  ledger: Ledger,
  run: Run,
  storedIdOf = (answerId: number) => answerId,
) {
  const { calls, misses, services } = ledger;
  const published = memo((of: Run) => sinceLastResult(ledger, of));
  const found = new Set<string>();
  return {
    hasEverFound({ identity }: AskedService) {
      if (!found.has(identity) && calls.hasEverFound(identity)) found.add(identity);
      return found.has(identity);
    },
    /** Known companies that this run looked up, also before it was resumed. */
    countKnown(service: AskedService) {
      const serviceId = services.find(service);
      if (serviceId === undefined) return { known: 0, missed: 0 };
      const at = { ...published(run), serviceId };
      return { known: misses.countKnown(at), missed: misses.missed(at).length };
    },
    /** What `countKnown` counts. Kept companies tell nothing new of a service: they were missed before. */
    isPublished: (answerId: number) =>
      misses.isPublished({ ...published(run), answerId: storedIdOf(answerId) }) === 1,
    isKept: (answerId: number) => misses.isKept(storedIdOf(answerId)) === 1,
  };
}
