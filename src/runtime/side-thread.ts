import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ThreadTask } from './serve-tasks.ts';
import { siblingModule } from './sibling-module.ts';

/**
 * The second thread of a process, for one task after the other: what a thread has taken of memory
 * is hardly given back when it ends, but the next task in it can use it again.
 */
export interface SideThread extends AsyncDisposable {
  /**
   * Gives a task to the thread, which is started for the first one, and anew after a break-down.
   * The module exports `serve(port, data)`.
   */
  begin(module: URL, data?: unknown): SideTask;
}

/** A task as the first thread sees it. It is over when either of the two closes the port. */
export interface SideTask {
  readonly port: MessagePort;
  /** Settles when the port is closed, by whomever or with the end of the thread. */
  readonly closed: Promise<unknown>;
  /** Settles, with the reason, when the thread has ended or broken down. */
  readonly broken: Promise<unknown>;
}

export function openSideThread(): SideThread {
  let running: RunningThread | undefined;
  return {
    begin(module, data) {
      if (!running?.isAlive()) running = startThread();
      const { worker, broken } = running;
      const { port1: port, port2 } = new MessageChannel();
      const closed = new Promise((resolve) => port.once('close', resolve));
      const task: ThreadTask = { module: module.href, port: port2, data };
      worker.postMessage(task, [port2]);
      return { port, broken, closed: Promise.race([closed, broken]) };
    },
    async [Symbol.asyncDispose]() {
      await running?.worker.terminate();
    },
  };
}

interface RunningThread extends Pick<SideTask, 'broken'> {
  readonly worker: Worker;
  isAlive(): boolean;
}

function startThread(): RunningThread {
  const worker = new Worker(siblingModule(import.meta.url, 'serve-tasks'), {
    // V8 makes three parts of it, so that young objects have 8: answers on the wire are alive longer.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  });
  let isAlive = true;
  const broken = new Promise<unknown>((resolve) => {
    const end = (reason: unknown) => {
      isAlive = false;
      resolve(reason);
    };
    worker.once('error', end);
    worker.once('exit', () => end(new Error('the second thread has ended')));
  });
  return { worker, broken, isAlive: () => isAlive };
}
