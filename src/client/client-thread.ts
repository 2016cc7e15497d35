import { parentPort, workerData } from 'node:worker_threads';
import type { CallOutcome } from '../contract/call.ts';
import { plainBody, storeBody } from '../runtime/stored-body.ts';
import { packError } from '../runtime/thread-error.ts';
import type { ClientEvent } from './client-event.ts';
import { openClient } from './open-client.ts';
import type { FromThread, SentCall, Settled, ThreadOptions, ToThread } from './thread-messages.ts';

/*
 * The thread of a client: sockets, reading and compressing answers happen here, while the other
 * thread writes to the ledger. What happens is told in batches, because a message costs as much as
 * an answer.
 */
const port = parentPort;
if (!port) throw new Error('this module runs in a thread');

const batchMs = 1;
const batchSize = 32;

let events: ClientEvent[] = [];
let settled: Settled[] = [];
let bodies: Buffer[] = [];
let bodyBytes = 0;
let timer: NodeJS.Timeout | undefined;

const post = () => {
  clearTimeout(timer);
  timer = undefined;
  const bytes = new ArrayBuffer(bodyBytes);
  const view = new Uint8Array(bytes);
  let start = 0;
  for (const body of bodies) {
    view.set(body, start);
    start += body.length;
  }
  port.postMessage({ events, settled, bytes } satisfies FromThread, [bytes]);
  events = [];
  settled = [];
  bodies = [];
  bodyBytes = 0;
};
const postSoon = () => {
  if (settled.length >= batchSize) post();
  else timer ??= setTimeout(post, batchMs);
};

/** A promise, so that whoever sends hears why it could not be opened. */
const opened = (async () =>
  openClient({
    ...(workerData as ThreadOptions),
    onEvent: (event) => {
      events.push(event);
      postSoon();
    },
  }))();
opened.catch(() => {});
const stop = new Error('The run was stopped by the other thread.');
const signals = new Map<number, AbortController>();

async function send({ id, call, signal }: SentCall): Promise<void> {
  const controller = controllerOf(signal);
  const item = await opened
    .then((client) => client.send(call, controller.signal))
    .then(
      (outcome) => pack(id, outcome),
      (error: unknown) => ({ id, failure: packReason(error, controller) }),
    );
  settled.push(item);
  postSoon();
}

function pack(id: number, outcome: CallOutcome): Settled {
  if (!('body' in outcome)) return { id, outcome };
  const { body, ...rest } = outcome;
  // Made ready for the ledger here, where there is time. A page of people is read before it is kept.
  const isRead = outcome.kind === 'hit' && outcome.names !== undefined;
  if (!isRead) return { id, outcome: rest, body: put(plainBody(body)) };
  const { body: bytes, encoding, checksum } = storeBody(plainBody(body));
  return { id, outcome: rest, body: { ...put(bytes), stored: { encoding, checksum } } };
}

function put(bytes: Buffer): { start: number; length: number } {
  const start = bodyBytes;
  bodies.push(bytes);
  bodyBytes += bytes.length;
  return { start, length: bytes.length };
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
    case 'send':
      for (const call of message.calls) void send(call);
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

/** Told to whoever sent a call. */
function ignore(): void {}
