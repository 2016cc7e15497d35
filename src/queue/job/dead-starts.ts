import type { Ledger } from '../../ledger/open-ledger.ts';

/** Counts the last start, which died, and those before it, if none of them has stored an answer. */
export function countDeadStarts({ starts, progress }: Ledger, job: string): number {
  const last = starts.lastCalling(job);
  if (!last) return 0;
  const called = progress.of(last.runId)?.calls.called ?? 0;
  // After a start that stored answers and died all the same, the next makes as few calls at once.
  return called > last.callsBefore ? last.deadStarts : last.deadStarts + 1;
}
