import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DossierError } from '../../errors.ts';

/** A second thread of the process. It serves one module after the other, in memory that it keeps. */
export type Thread = ReturnType<typeof openThread>;

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
  readonly request: never;
}

export function openThread() {
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

  worker.on(
    'message',
    ({
      id,
      reply,
      error,
    }: {
      readonly id: number;
      readonly reply?: unknown;
      readonly error?: ReturnType<typeof packError>;
    }) => {
      const request = waiting.get(id);
      waiting.delete(id);
      if (error) request?.reject(unpackError(error));
      else request?.resolve(reply);
    },
  );
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

  const ask = async (
    service: number,
    verb: string,
    request: unknown,
    buffers: readonly ArrayBuffer[] = [],
  ): Promise<unknown> => {
    if (hasEnded) throw brokenBy;
    asked += 1;
    const reply = Promise.withResolvers<unknown>();
    waiting.set(asked, reply);
    worker.postMessage({ id: asked, service, verb, request }, buffers);
    return await reply.promise;
  };
  return {
    /** Loads a module in the thread and calls its `serve(data)`, which gives the verbs. */
    async open<Verbs>(module: URL, data: unknown) {
      const service = (await ask(0, 'open', { module: module.href, data })) as number;
      return { ask: ask.bind(undefined, service) } as Served<Verbs>;
    },
    /** It answers nothing any more. */
    hasEnded: () => hasEnded,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/**
 * The address of a module beside another, for threads: imports are rewritten by the build, but this
 * is no import. `serve-thread → serve-thread.ts` among the sources, `.js` in the package.
 */
export function siblingModule(importMetaUrl: string, name: string): URL {
  return new URL(`./${name}${extname(importMetaUrl)}`, importMetaUrl);
}

/** An error on its way from one thread to the other. */
export function packError(error: unknown) {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { message, stack, code: error instanceof DossierError ? error.code : undefined };
}

/** The error that was packed, with its code, which decides how the run ends. */
export function unpackError({ message, stack, code }: ReturnType<typeof packError>): Error {
  return code ? new DossierError(code, message) : Object.assign(new Error(message), { stack });
}
