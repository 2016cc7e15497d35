import { Worker } from 'node:worker_threads';
import { siblingModule } from './sibling-module.ts';
import { type ThreadError, unpackError } from './thread-error.ts';

/** A second thread of the process. It serves one module after the other, in memory that it keeps. */
export interface Thread extends AsyncDisposable {
  /** Loads a module in the thread and calls its `serve(data)`, which gives the verbs. */
  open<Verbs>(module: URL, data: unknown): Promise<Served<Verbs>>;
  /** It answers nothing any more. */
  hasEnded(): boolean;
}

/** The verbs of a module in the thread, each with one request and one reply. */
export interface Served<Verbs> {
  /** Verbs begin in the order of asking. The buffers move to the thread with the request. */
  ask<Verb extends keyof Verbs>(
    verb: Verb,
    request: RequestOf<Verbs[Verb]>,
    buffers?: readonly ArrayBuffer[],
  ): Promise<ReplyOf<Verbs[Verb]>>;
}

type RequestOf<Verb> = Verb extends (request: infer Request, ...rest: never[]) => unknown
  ? Request
  : never;
type ReplyOf<Verb> = Verb extends (...request: never[]) => infer Reply ? Awaited<Reply> : never;

/** The one kind of message to the thread: a request of a verb. Service 0 opens the others. */
export interface ThreadRequest {
  readonly id: number;
  readonly service: number;
  readonly verb: string;
  readonly request: unknown;
}

/** The one kind of message from the thread: the reply to a request. */
export type ThreadReply =
  | { readonly id: number; readonly reply: unknown }
  | { readonly id: number; readonly error: ThreadError };

/** What the verb `open` of service 0 is asked with; it replies with the number of the service. */
export interface OpenRequest {
  readonly module: string;
  readonly data: unknown;
}

export function openThread(): Thread {
  const worker = new Worker(siblingModule(import.meta.url, 'serve-thread'), {
    // V8 makes three parts of it, so that young objects have 8 MB, as in the main thread.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    stderr: true,
  });
  // Node prints warnings of a thread as plain text; as one of the process it goes where the log goes.
  worker.stderr.on('data', (chunk: Buffer) => process.emitWarning(chunk.toString().trim()));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  let brokenBy: unknown;
  let hasEnded = false;

  worker.on('message', (message: ThreadReply) => {
    const request = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) request?.reject(unpackError(message.error));
    else request?.resolve(message.reply);
  });
  worker.once('error', (error) => {
    brokenBy = error;
  });
  // Node delivers every message of the thread before it tells of the exit.
  worker.once('exit', () => {
    hasEnded = true;
    brokenBy ??= new Error('the second thread has ended');
    for (const { reject } of waiting.values()) reject(brokenBy);
    waiting.clear();
  });

  const ask = (
    service: number,
    verb: string,
    request: unknown,
    buffers: readonly ArrayBuffer[] = [],
  ): Promise<unknown> => {
    if (hasEnded) return Promise.reject(brokenBy);
    asked += 1;
    const reply = Promise.withResolvers<unknown>();
    waiting.set(asked, reply);
    const message: ThreadRequest = { id: asked, service, verb, request };
    worker.postMessage(message, buffers);
    return reply.promise;
  };
  return {
    async open<Verbs>(module: URL, data: unknown) {
      const request: OpenRequest = { module: module.href, data };
      const service = (await ask(0, 'open', request)) as number;
      const served = { ask: ask.bind(undefined, service) };
      return served as Served<Verbs>;
    },
    hasEnded: () => hasEnded,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
