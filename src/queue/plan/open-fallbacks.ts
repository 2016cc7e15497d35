import { keyedCall } from '../../ledger/calls/call-key.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { WaitingPlace } from '../../ledger/rows/outcomes.ts';
import { laterCandidates } from '../../rules/next-candidate.ts';
import { IdSet } from '../../runtime/id-set.ts';

/** Calls that come up only when those before them find nothing. */
export interface Fallbacks {
  asked: number;
  /** Calls that would be completed from the cache. */
  cached: number;
}

const rowsInBatch = 1_000;

/** Supposes that nothing is found, and wants every later candidate of every open row. */
export function openFallbacks(
  scratch: Ledger,
  runId: number,
  serviceUrl: string,
  isCached: (request: string) => boolean,
): Fallbacks {
  const fallbacks: Fallbacks = { asked: 0, cached: 0 };
  const seen = new IdSet();
  let after: WaitingPlace = { callId: 0, rowId: 0 };
  for (;;) {
    const rows = scratch.outcomes.allWaiting(runId, after, rowsInBatch);
    scratch.together(() => {
      for (const { call } of rows.flatMap(laterCandidates)) {
        const keyed = keyedCall(serviceUrl, call);
        const [callId = 0] = scratch.calls.idsOf([keyed]);
        if (seen.add(callId) && scratch.calls.countNew(runId, [callId]) > 0)
          fallbacks[isCached(keyed.request) ? 'cached' : 'asked'] += 1;
      }
    });
    const last = rows.at(-1);
    if (!last) return fallbacks;
    after = last;
  }
}
