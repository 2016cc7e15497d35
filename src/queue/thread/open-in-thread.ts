import { siblingModule, type Thread } from '../../runtime/thread/thread.ts';
import type { QueuedRun, QueueTerms } from '../queue-state.ts';
import { type Answer, forwarding, queueVerbs, type RunQueue } from '../run-queue.ts';
import { packForThread, type QueueData, type serve } from './serve-queue.ts';

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
  const times = { startedAt, lastStartedAt, ownSince };
  const run = { id, listId, follows: followed, hasPeople, owner, ...times };
  const data: QueueData = { run, terms };
  const module = siblingModule(import.meta.url, 'serve-queue');
  const { ask } = await thread.open<ReturnType<typeof serve>>(module, data);
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
