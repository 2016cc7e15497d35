import { releaseMemory } from '../../platform/memory.ts';
import { siblingModule, type Thread } from '../../platform/thread/thread.ts';
import { asLedgerError } from '../ledger/file/ledger-path.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { openQueue } from './open-queue.ts';
import type { QueuedRun, QueueTerms } from './queue-terms.ts';
import {
  type Answer,
  forwarding,
  perform,
  type QueueVerb,
  queueVerbs,
  type RunQueue,
} from './run-queue.ts';
import { runBusyMs } from './while-busy.ts';

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
      // An ended thread has already closed its ledger.
      await ask('close', undefined).catch(() => {});
    },
  };
}

export function serve({ run, terms }: { run: QueuedRun; terms: QueueTerms }) {
  const ledger = openLedger(terms.ledgerPath, { busyMs: runBusyMs, temporariesIn: 'memory' });
  const queue = openQueue(ledger, run, terms);
  return {
    async perform({
      verb,
      text,
      bodies,
    }: {
      readonly verb: QueueVerb;
      readonly text: string;
      readonly bodies: ArrayBuffer | undefined;
    }): Promise<string | undefined> {
      try {
        const args = JSON.parse(text);
        if (bodies) unpackInThread(args[0], bodies);
        return JSON.stringify(await perform(queue, verb, args));
      } catch (error) {
        // Convert here, because SQLite errors lose their class between threads.
        throw asLedgerError(terms.ledgerPath, error);
      } finally {
        // V8 would keep the bodies in memory for many exchanges.
        if (bodies) releaseMemory(new Uint8Array(bodies));
      }
    },
    close: (_: undefined) => ledger[Symbol.dispose](),
  };
}

/** Copies bodies, because socket buffers share memory and cannot be transferred. */
function packForThread(answers: readonly Answer[]) {
  const bodies = answers.map(({ result }) => ('body' in result ? result.body : noBody));
  const light = answers.map((answer) => {
    const { result } = answer;
    return 'body' in result
      ? { ...answer, result: { ...result, body: result.body.length } }
      : answer;
  });
  const memory = Buffer.allocUnsafeSlow(bodies.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const body of bodies) {
    memory.set(body, start);
    start += body.length;
  }
  return { answers: light, bodies: memory.buffer };
}

const noBody = Buffer.alloc(0);

function unpackInThread(
  answers: readonly { readonly result: { body?: unknown } }[],
  bodies: ArrayBuffer,
) {
  let start = 0;
  for (const { result } of answers) {
    if (result.body === undefined) continue;
    const body = Buffer.from(bodies, start, Number(result.body));
    start += body.length;
    result.body = body;
  }
}
