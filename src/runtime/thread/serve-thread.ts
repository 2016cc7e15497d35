import { parentPort } from 'node:worker_threads';
import type { OpenRequest, ThreadReply, ThreadRequest } from './thread.ts';
import { packError } from './thread-error.ts';

/*
 * The second thread. It knows nothing of what it serves: a module gives its verbs, a request names
 * one, and an error travels back as the reply.
 */

/** A verb: a request in, a reply or the promise of one out. Buffers given to `move` leave with the reply. */
export type ThreadVerb = (request: never, move: (buffer: ArrayBuffer) => void) => unknown;

interface ServedModule {
  serve(data: unknown): Readonly<Record<string, ThreadVerb>>;
}

const port = parentPort;
if (!port) throw new Error('this module runs in a thread');
const services: Readonly<Record<string, ThreadVerb>>[] = [];

async function open({ module, data }: OpenRequest): Promise<number> {
  const { serve } = (await import(module)) as ServedModule;
  // Service 0 is this function.
  return services.push(serve(data));
}

function run({ service, verb, request }: ThreadRequest, move: (buffer: ArrayBuffer) => void) {
  const perform = services[service - 1]?.[verb];
  if (!perform) throw new Error(`the thread has no verb ${verb}`);
  return perform(request as never, move);
}

port.on('message', async (message: ThreadRequest) => {
  const { id } = message;
  const buffers: ArrayBuffer[] = [];
  let answer: ThreadReply;
  try {
    const reply =
      message.service === 0
        ? await open(message.request as OpenRequest)
        : await run(message, (buffer) => void buffers.push(buffer));
    answer = { id, reply };
  } catch (error) {
    answer = { id, error: packError(error) };
  }
  port.postMessage(answer, buffers);
});
