import type { Ledger } from '../ledger/open-ledger.ts';
import { siblingModule } from '../runtime/thread/sibling-module.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import type { AnswerSource } from './answer-source.ts';
import { openLocalQueue } from './local-queue.ts';
import type { QueuedRun, QueueTerms } from './queue-state.ts';
import type { LeasedCall, RunQueue } from './run-queue.ts';
import { packForThread } from './thread/pack-answers.ts';
import type { QueueData, QueueVerbs } from './thread/serve-queue.ts';
import { type Patience, patienceMs, whileHeld } from './trouble/while-held.ts';

/** Opens the queue of a run in this thread. `source` is where cache hits come from: the ledger. */
export function openQueue(
  ledger: Ledger,
  run: QueuedRun,
  terms: QueueTerms,
  source?: AnswerSource,
): RunQueue {
  const queue = openLocalQueue(ledger, run, terms, source);
  return {
    add: async (rows) => queue.add(rows),
    exchange: async (answers, room, charge) => queue.exchange(answers, room, charge),
    reserve: async (operations, charge) => queue.reserve(operations, charge),
    release: async (callIds) => queue.release(callIds),
    recover: async () => queue.recover(),
    counts: async () => queue.counts(),
    keepTimeline: async (slices) => queue.keepTimeline(slices),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Opens the queue of a run in the second thread, with a connection of its own to the ledger. SQLite and
 * compression work there, while this thread reads the list and talks to the service.
 */
export async function openQueueInThread(
  thread: Thread,
  { id, listId, follows, hasPeople, startedAt, lastStartedAt, ownSince, owner }: QueuedRun,
  terms: QueueTerms,
): Promise<RunQueue> {
  const followed = follows && { id: follows.id, listId: follows.listId };
  const taken = { hasPeople, startedAt, lastStartedAt, ownSince, owner };
  const run = { id, listId, follows: followed, ...taken };
  const data: QueueData = { run, terms };
  const module = siblingModule(import.meta.url, 'thread/serve-queue');
  const { ask } = await thread.open<QueueVerbs>(module, data);
  return {
    add: (rows) => ask('add', JSON.stringify(rows)),
    async exchange(answers, room, charge) {
      const packed = packForThread(answers);
      const { calls, ...exchanged } = await ask('exchange', { answers: packed, room, charge }, [
        packed.bodies,
      ]);
      return { ...exchanged, calls: JSON.parse(calls) as LeasedCall[] };
    },
    reserve: (operations, charge) => ask('reserve', { operations, charge }),
    release: (callIds) => ask('release', callIds),
    recover: () => ask('recover', undefined),
    counts: () => ask('counts', undefined),
    keepTimeline: (slices) => ask('keepTimeline', slices),
    async [Symbol.asyncDispose]() {
      // A thread that has ended has closed its ledger, and told why to the verb that it served.
      await ask('close', undefined).catch(() => {});
    },
  };
}

/**
 * A queue that waits while another program holds the ledger. Answers are kept until they are stored,
 * however long that takes, and no call is leased meanwhile; reading the list gives up after minutes.
 */
export function waitingWhileHeld(queue: RunQueue, patience: Patience): RunQueue {
  const { onHeld } = patience;
  const bounded = { ...patience, limitMs: patienceMs };
  return {
    ...queue,
    add: (rows) => whileHeld(() => queue.add(rows), bounded),
    exchange: (answers, room, charge) =>
      whileHeld(() => queue.exchange(answers, room, charge), { onHeld }),
    reserve: (operations, charge) => whileHeld(() => queue.reserve(operations, charge), patience),
    release: (callIds) => whileHeld(() => queue.release(callIds), { onHeld }),
    recover: () => whileHeld(() => queue.recover(), bounded),
  };
}
