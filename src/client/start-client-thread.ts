import { Worker } from 'node:worker_threads';
import { siblingModule } from '../runtime/sibling-module.ts';

/** A thread that waits to be told of its client. Nothing is opened before that. */
export interface ClientThread extends AsyncDisposable {
  readonly worker: Worker;
  /** Settles, with the reason, when it has ended or broken down. */
  readonly ended: Promise<unknown>;
}

/** May be started ahead of the first call: loading its modules takes a moment of one core. */
export function startClientThread(): ClientThread {
  const worker = new Worker(siblingModule(import.meta.url, 'client-thread'), {
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  });
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  worker.once('error', resolve);
  worker.once('exit', () => resolve(new Error('the thread of the client has ended')));
  return { worker, ended, [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}
