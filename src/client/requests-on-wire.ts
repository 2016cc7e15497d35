import type { CallRequest } from '../contract/call.ts';
import type { Clock } from '../runtime/clock.ts';

export interface RequestsOnWire {
  /** Notes that the request of a call has left. The returned function notes that the attempt is over. */
  add(call: CallRequest): () => void;
  /** Calls whose request has left, and how long the last of their answers can take. */
  list(): { readonly calls: readonly CallRequest[]; readonly atMostMs: number };
}

interface Entry {
  readonly call: CallRequest;
  readonly leftAtMs: number;
  /** Where it stands in the array, so that removing takes no search. */
  index: number;
}

/** The requests that have left and are not answered: a stop waits for them, a second signal names them. */
export function openRequestsOnWire(
  timeoutMs: number,
  clock: Pick<Clock, 'monotonicMs'>,
): RequestsOnWire {
  const entries: Entry[] = [];
  return {
    add(call) {
      const entry: Entry = { call, leftAtMs: clock.monotonicMs(), index: entries.length };
      entries.push(entry);
      return () => {
        if (entries[entry.index] !== entry) return;
        const last = entries.pop();
        if (!last || last === entry) return;
        last.index = entry.index;
        entries[last.index] = last;
      };
    },
    list() {
      const newestMs = Math.max(Number.NEGATIVE_INFINITY, ...entries.map((one) => one.leftAtMs));
      // The deadline of an attempt begins before its request leaves, so this is never too short.
      const atMostMs = Math.max(0, newestMs + timeoutMs - clock.monotonicMs());
      return { calls: entries.map(({ call }) => call), atMostMs };
    },
  };
}
