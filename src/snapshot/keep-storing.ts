import { takeNote } from '../ledger/care/snapshot/note-file.ts';
import type { HeldLease } from './hold-lease.ts';
import { type PublishParts, publishSnapshot } from './publish.ts';

/** A store that was away is asked again before the next interval is over. */
const againMs = 30_000;

/** Stores a snapshot at intervals, whenever answers have come that are in none. */
export function keepStoring(
  lease: HeldLease,
  parts: PublishParts,
  everyMs: number,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();
  const storeOnce = async () => {
    let nextMs = everyMs;
    try {
      const note = lease.lost.aborted ? undefined : takeNote(parts.ledger);
      if (note && note.answersSince > 0) await publishSnapshot(lease, parts, stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted) return;
      parts.listener.onTrouble?.('snapshot', error);
      nextMs = Math.min(everyMs, againMs);
    }
    plan(nextMs);
  };
  const plan = (ms: number) => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      underWay = storeOnce();
    }, ms);
    timer.unref();
  };
  plan(everyMs);
  return {
    /** The one under way is given up: the last one has all that it has. */
    async stop() {
      stopping.abort(new Error('the last snapshot is next'));
      clearTimeout(timer);
      await underWay;
    },
  };
}
