import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DossierError, type ErrorCode } from '../../core/errors.ts';

export interface Thread extends AsyncDisposable {
  /** Loads a module in the thread; its `serve` gets the data and returns the verbs. */
  open<Verbs>(module: URL, data: unknown): Promise<Served<Verbs>>;
  hasEnded(): boolean;
}

export interface Served<Verbs> {
  /** Requests start in call order. `buffers` are transferred, not copied. */
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

export interface ThreadRequest {
  readonly id: number;
  readonly service: number;
  readonly verb: string;
  readonly request: never;
}

interface ThreadReply {
  readonly id: number;
  readonly reply?: unknown;
  readonly error?: PackedError;
}

export function openThread(): Thread {
  const worker = new Worker(siblingModule(import.meta.url, 'serve-thread'), {
    // V8 divides this by three: 8 MB for young objects, as in the main thread.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    stderr: true,
  });
  // Node prints a thread's warnings as plain text. Emitted here, they reach the log.
  worker.stderr.on('data', (chunk: Buffer) => process.emitWarning(chunk.toString().trim()));
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let brokenBy: unknown;
  let hasEnded = false;

  worker.on('message', ({ id, reply, error }: ThreadReply) => {
    const request = waiting.get(id);
    waiting.delete(id);
    if (error) request?.reject(unpackError(error));
    else request?.resolve(reply);
  });
  worker.once('error', (error) => {
    brokenBy = error;
  });
  // Node delivers all messages before this event, so requests that still wait get no reply.
  worker.once('exit', () => {
    hasEnded = true;
    brokenBy ??= new Error('the second thread ended');
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
    lastId += 1;
    const reply = Promise.withResolvers<unknown>();
    waiting.set(lastId, reply);
    worker.postMessage({ id: lastId, service, verb, request }, buffers);
    return await reply.promise;
  };
  return {
    async open<Verbs>(module: URL, data: unknown) {
      const service = (await ask(0, 'open', { module: module.href, data })) as number;
      return { ask: ask.bind(undefined, service) } as Served<Verbs>;
    },
    hasEnded: () => hasEnded,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** The build changes the extension of imports, but not of this URL. */
export function siblingModule(importMetaUrl: string, name: string): URL {
  return new URL(`./${name}${extname(importMetaUrl)}`, importMetaUrl);
}

interface PackedError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: ErrorCode | undefined;
}

export function packError(error: unknown): PackedError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { message, stack, code: error instanceof DossierError ? error.code : undefined };
}

export function unpackError({ message, stack, code }: PackedError): Error {
  return code ? new DossierError(code, message) : Object.assign(new Error(message), { stack });
}
