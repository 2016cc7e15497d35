import { asLedgerTrouble } from '../../ledger/file/ledger-trouble.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { releaseMemory } from '../../runtime/memory.ts';
import { openQueue } from '../open-queue.ts';
import type { QueuedRun, QueueTerms } from '../queue-state.ts';
import { perform, type QueueVerb } from '../run-queue.ts';
import { busyMs } from '../trouble/while-held.ts';
import { unpackInThread } from './pack-answers.ts';

/** What the queue of a run is opened with in the thread. */
export interface QueueData {
  readonly run: QueuedRun;
  readonly terms: QueueTerms;
}

/** A verb with its arguments as JSON, since V8 clones many small objects slower than it handles their JSON. */
interface VerbRequest {
  readonly verb: QueueVerb;
  readonly text: string;
  /** Bodies of the answers of an exchange. */
  readonly bodies: ArrayBuffer | undefined;
}

/** Serves the queue of a run in the second thread: SQLite and compression work here. */
export function serve({ run, terms }: QueueData) {
  const ledger = openLedger(terms.ledgerPath, { busyMs });
  const queue = openQueue(ledger, run, terms);
  return {
    /** Gives the result as JSON. */
    async perform({ verb, text, bodies }: VerbRequest): Promise<string | undefined> {
      try {
        const [first, ...rest] = JSON.parse(text);
        const args = bodies ? [unpackInThread(first, bodies), ...rest] : [first, ...rest];
        return JSON.stringify(await perform(queue, verb, args));
      } catch (error) {
        // An error of SQLite must be named here: on its way to the other thread it loses its class.
        throw asLedgerTrouble(terms.ledgerPath, error);
      } finally {
        // The bodies are compressed and stored; V8 would keep their memory for many exchanges.
        if (bodies) releaseMemory(new Uint8Array(bodies));
      }
    },
    close: (_: undefined) => ledger[Symbol.dispose](),
  };
}
