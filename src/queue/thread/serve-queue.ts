import type { CallOutcome } from '../../contract/call.ts';
import { asLedgerTrouble } from '../../ledger/file/ledger-trouble.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { releaseMemory } from '../../runtime/memory.ts';
import { openQueue } from '../open-queue.ts';
import type { QueuedRun, QueueTerms } from '../queue-state.ts';
import { type Answer, perform, type QueueVerb } from '../run-queue.ts';
import { busyMs } from '../trouble/while-held.ts';

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

/** An answer whose body is given by its length in the stretch. */
type AnswerWithoutBody = Omit<Answer, 'outcome'> & {
  readonly outcome: Omit<CallOutcome, 'body'> & { readonly bodyLength?: number };
};

/**
 * Answers on their way to another thread, with all bodies in one stretch of memory. A copy of the bodies alone: a buffer as it came shares its
 * memory with others of the socket.
 */
export function packForThread(answers: readonly Answer[]) {
  const bodies: Buffer[] = [];
  const light = answers.map(({ outcome, ...answer }): AnswerWithoutBody => {
    if (!('body' in outcome)) return { ...answer, outcome };
    const { body, ...rest } = outcome;
    bodies.push(body);
    return { ...answer, outcome: { ...rest, bodyLength: body.length } };
  });
  const bytes = bodies.reduce((length, body) => length + body.length, 0);
  const memory = Buffer.allocUnsafeSlow(bytes);
  let start = 0;
  for (const body of bodies) {
    memory.set(body, start);
    start += body.length;
  }
  return { answers: light, bodies: memory.buffer };
}

/** Reads what `packForThread` has written. Bodies stay where they are. */
function unpackInThread(answers: readonly AnswerWithoutBody[], bodies: ArrayBuffer): Answer[] {
  let start = 0;
  return answers.map(({ outcome, ...answer }) => {
    const { bodyLength, ...rest } = outcome;
    if (bodyLength === undefined) return { ...answer, outcome: rest as CallOutcome };
    const body = Buffer.from(bodies, start, bodyLength);
    start += bodyLength;
    return { ...answer, outcome: { ...rest, body } as CallOutcome };
  });
}
