import { LedgerLost } from '../../ledger/file/ledger-lost.ts';
import { type Ledger, openLedger } from '../../ledger/open-ledger.ts';
import type { AnswerSource } from '../answer-source.ts';
import { type LocalQueue, openLocalQueue } from '../local-queue.ts';
import type { QueuedRun, QueueState, QueueTerms } from '../queue-state.ts';
import { busyMs } from './while-held.ts';

/**
 * The queue of a run whose ledger may be removed under it: it then leases no more, and stores what is in
 * flight in the copy that the ledger has made of itself. Disposing closes the copy.
 */
export function openRescuableQueue(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  source?: AnswerSource,
): LocalQueue & Disposable {
  const leased: QueueState['leased'] = new Map();
  const first = openLocalQueue(ledger, run, terms, { source, leased });
  let copy: { readonly ledger: Ledger; readonly queue: LocalQueue } | undefined;
  let lost: string | undefined;

  /** Does the work again, in the copy, where the ledger turns out to be lost. */
  const withRescue = <Result>(work: (queue: LocalQueue) => Result): Result => {
    try {
      return work(copy?.queue ?? first);
    } catch (error) {
      if (copy || !(error instanceof LedgerLost)) throw error;
      lost = error.message;
      const rescued = openLedger(error.rescuedTo, { busyMs });
      copy = { ledger: rescued, queue: openLocalQueue(rescued, run, terms, { leased }) };
      return work(copy.queue);
    }
  };
  return {
    ...first,
    exchange: (answers, room, charge) => {
      const exchanged = withRescue((queue) => queue.exchange(answers, copy ? 0 : room, charge));
      return lost === undefined ? exchanged : { ...exchanged, lost };
    },
    reserve: (operations, charge) =>
      withRescue((queue) => queue.reserve(copy ? [] : operations, charge)),
    release: (callIds) => withRescue((queue) => queue.release(callIds)),
    keepTimeline: (slices) => withRescue((queue) => queue.keepTimeline(slices)),
    [Symbol.dispose]: () => copy?.ledger[Symbol.dispose](),
  };
}
