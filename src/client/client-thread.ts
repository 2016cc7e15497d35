import type { MessagePort } from 'node:worker_threads';
import { packError } from '../runtime/thread-error.ts';
import type { ClientEvent } from './client-event.ts';
import { type Client, openClient } from './open-client.ts';
import { type Finished, packNews } from './pack-news.ts';
import type { SentCall, ThreadOptions, ToThread } from './thread-messages.ts';

const batchMs = 2;
const batchSize = 64;

/**
 * The thread of a client: sockets, reading and compressing answers happen here, while the other
 * thread writes to the ledger. What happens is told in batches, because a message costs as much as
 * an answer.
 */
export function serve(port: MessagePort): void {
  let events: ClientEvent[] = [];
  let finished: Finished[] = [];
  let timer: NodeJS.Timeout | undefined;

  const post = () => {
    clearTimeout(timer);
    timer = undefined;
    const { message, bytes } = packNews(events, finished);
    port.postMessage(message, [bytes]);
    events = [];
    finished = [];
  };
  const postSoon = () => {
    if (finished.length >= batchSize) post();
    else timer ??= setTimeout(post, batchMs);
  };

  const { promise: opened, resolve: resolveOpened } = Promise.withResolvers<Client>();
  /** So that nobody has to wait a turn for a client that is there. */
  let ready: Client | undefined;
  opened.then((client) => {
    ready = client;
  }, ignore);
  const stop = new Error('The run was stopped by the other thread.');
  const signals = new Map<number, AbortController>();

  /** A promise, so that whoever sends hears why it could not be opened. */
  async function open(options: ThreadOptions): Promise<Client> {
    const onEvent = (event: ClientEvent) => {
      events.push(event);
      postSoon();
    };
    return openClient({ ...options, onEvent });
  }

  async function send({ id, call, signal }: SentCall): Promise<void> {
    const controller = controllerOf(signal);
    try {
      const client = ready ?? (await opened);
      const outcome = await client.send(call, controller.signal);
      finished.push({ id, outcome });
    } catch (error) {
      finished.push({ id, failure: packReason(error, controller) });
    }
    postSoon();
  }

  function packReason(error: unknown, { signal }: AbortController) {
    if (error === stop) return { kind: 'stopped' } as const;
    return signal.aborted && error === signal.reason
      ? ({ kind: 'aborted' } as const)
      : packError(error);
  }

  function controllerOf(signal: number): AbortController {
    const controller = signals.get(signal) ?? new AbortController();
    signals.set(signal, controller);
    return controller;
  }

  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'open':
        resolveOpened(open(message.options));
        return;
      case 'send':
        for (const call of JSON.parse(message.calls) as SentCall[]) void send(call);
        return;
      case 'abort':
        controllerOf(message.signal).abort(new Error('aborted by the other thread'));
        return;
      case 'stop':
        opened.then((client) => client.stop(stop), ignore);
        return;
      case 'close':
        opened.then((client) => client[Symbol.asyncDispose](), ignore).finally(() => port.close());
    }
  });
}

/** Told to whoever sent a call. */
function ignore(): void {}
