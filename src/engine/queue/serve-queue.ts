import { releaseMemory } from '../../core/runtime/memory.ts';
import { siblingModule, type Thread } from '../../core/runtime/thread/thread.ts';
import { asLedgerTrouble } from '../ledger/file/ledger-path.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { openQueue } from './open-queue.ts';
import type { QueuedRun, QueueTerms } from './queue-state.ts';
import {
  type Answer,
  forwarding,
  perform,
  type QueueVerb,
  queueVerbs,
  type RunQueue,
} from './run-queue.ts';
import { busyMs } from './while-held.ts';

/**
 * Opens the queue of a run in the second thread, with a connection of its own to the ledger. SQLite and
 * compression work there, while this thread reads the list and talks to the service.
 */
export async function openQueueInThread(
  thread: Thread,
  run: QueuedRun,
  terms: QueueTerms,
): Promise<RunQueue> {
  const module = siblingModule(import.meta.url, 'serve-queue');
  const { ask } = await thread.open<ReturnType<typeof serve>>(module, { run, terms });
  const verbs = forwarding(queueVerbs, async (verb, args) => {
    const [first, ...rest] = args;
    const packed = verb === 'exchange' ? packForThread(first as Answer[]) : undefined;
    const text = JSON.stringify(packed ? [packed.answers, ...rest] : args);
    const bodies = packed?.bodies;
    const reply = await ask('perform', { verb, text, bodies }, bodies && [bodies]);
    return reply === undefined ? undefined : JSON.parse(reply);
  });
  return {
    ...verbs,
    async [Symbol.asyncDispose]() {
      // A thread that has ended has closed its ledger, and told why to the verb that it served.
      await ask('close', undefined).catch(() => {});
    },
  };
}

/** What the second thread does for the queue. */
export function serve({ run, terms }: { run: QueuedRun; terms: QueueTerms }) {
  const ledger = openLedger(terms.ledgerPath, { busyMs });
  const queue = openQueue(ledger, run, terms);
  return {
    /** Gives the result as JSON. */
    async perform({
      verb,
      text,
      bodies,
    }: {
      readonly verb: QueueVerb;
      readonly text: string;
      /** Bodies of the answers of an exchange. */
      readonly bodies: ArrayBuffer | undefined;
    }): Promise<string | undefined> {
      try {
        const args = JSON.parse(text);
        if (bodies) unpackInThread(args[0], bodies);
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

/**
 * Answers on their way to another thread, each body as its length, with all bodies in one stretch of memory. A copy of the
 * bodies alone: a buffer as it came shares its memory with others of the socket.
 */
function packForThread(answers: readonly Answer[]) {
  const bodies: Buffer[] = [];
  let bytes = 0;
  const light = answers.map((answer) => {
    const { outcome } = answer;
    if (!('body' in outcome)) return answer;
    const { length } = outcome.body;
    bodies.push(outcome.body);
    bytes += length;
    return { ...answer, outcome: { ...outcome, body: length } };
  });
  const memory = Buffer.allocUnsafeSlow(bytes);
  let start = 0;
  for (const body of bodies) {
    memory.set(body, start);
    start += body.length;
  }
  return { answers: light, bodies: memory.buffer };
}

/** Puts the bodies back into answers that `packForThread` has made. They stay where they are in memory. */
function unpackInThread(answers: readonly { outcome: { body?: unknown } }[], bodies: ArrayBuffer) {
  let start = 0;
  for (const { outcome } of answers) {
    if (outcome.body === undefined) continue;
    const body = Buffer.from(bodies, start, Number(outcome.body));
    outcome.body = body;
    start += body.length;
  }
}
