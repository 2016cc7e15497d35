import { type MessagePort, parentPort } from 'node:worker_threads';

/*
 * The second thread: it does whatever it is told to, and knows nothing of it. What a task cannot
 * handle itself ends the thread, and the other one hears why.
 */
export interface ThreadTask {
  /** The address of a module that exports `serve`. */
  readonly module: string;
  readonly port: MessagePort;
  readonly data: unknown;
}

interface TaskModule {
  serve(port: MessagePort, data: unknown): void;
}

if (!parentPort) throw new Error('this module runs in a thread');
parentPort.on('message', async ({ module, port, data }: ThreadTask) => {
  const { serve } = (await import(module)) as TaskModule;
  serve(port, data);
});
