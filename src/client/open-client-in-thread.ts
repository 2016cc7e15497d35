import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CallOutcome } from '../contract/call.ts';
import type { SideTask } from '../runtime/side-thread.ts';
import { unpackError } from '../runtime/thread-error.ts';
import { parseBaseUrl, parseKey } from './build-request.ts';
import type { OnEvent } from './client-event.ts';
import type { Client } from './open-client.ts';
import { type Finished, unpackNews } from './pack-news.ts';
import type { Failure, FromThread, SentCall, ThreadOptions, ToThread } from './thread-messages.ts';

interface Waiting {
  readonly signal: AbortSignal;
  resolve(outcome: CallOutcome): void;
  reject(error: unknown): void;
}

/**
 * The same client in a thread of its own, for runs that are as fast as the machine: one core reads
 * answers while the other writes the ledger. To whoever sends it behaves like `openClient`. Its end
 * gives the thread free for something else.
 */
export function openClientInThread(
  { onEvent = () => {}, ...options }: ThreadOptions & { onEvent?: OnEvent },
  { port, closed, broken }: SideTask,
): Client {
  parseBaseUrl(options.baseUrl);
  parseKey(options.key);
  const post = (message: ToThread) => port.postMessage(message);
  const waiting = new Map<number, Waiting>();
  const signals = new Map<AbortSignal, number>();
  let line: SentCall[] = [];
  let sent = 0;
  let stoppedBy: Error | undefined;
  let brokenBy: unknown;

  const numberOf = (signal: AbortSignal) => {
    const known = signals.get(signal);
    if (known !== undefined) return known;
    const number = signals.size;
    signals.set(signal, number);
    const abort = () => post({ kind: 'abort', signal: number });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return number;
  };
  const postLine = () => {
    post({ kind: 'send', calls: JSON.stringify(line) });
    line = [];
  };
  const errorOf = (failure: Failure, { signal }: Waiting) => {
    switch (failure.kind) {
      case 'stopped':
        return stoppedBy;
      case 'aborted':
        return signal.reason;
      default:
        return unpackError(failure);
    }
  };
  const settle = (item: Finished) => {
    const call = waiting.get(item.id);
    waiting.delete(item.id);
    if (!call) return;
    if ('failure' in item) call.reject(errorOf(item.failure, call));
    else call.resolve(item.outcome);
  };
  const breakDown = (error: unknown) => {
    brokenBy ??= error;
    for (const { reject } of waiting.values()) reject(brokenBy);
    waiting.clear();
  };

  const hear = (message: FromThread) => {
    const { events, finished } = unpackNews(message);
    for (const event of events) onEvent(event);
    for (const item of finished) settle(item);
  };
  port.on('message', hear);
  void broken.then((error) => {
    // The end of a thread may be heard of before the answers that it has sent.
    for (let last = nextFrom(port); last; last = nextFrom(port)) hear(last);
    breakDown(error);
  });
  post({ kind: 'open', options });

  return {
    send: (call, signal) =>
      new Promise((resolve, reject) => {
        if (brokenBy !== undefined) {
          reject(brokenBy);
          return;
        }
        // Calls that are sent in one breath travel in one message.
        if (line.length === 0) queueMicrotask(postLine);
        sent += 1;
        line.push({ id: sent, call, signal: numberOf(signal) });
        waiting.set(sent, { signal, resolve, reject });
      }),
    stop: (error) => {
      stoppedBy ??= error;
      post({ kind: 'stop' });
    },
    [Symbol.asyncDispose]: async () => {
      post({ kind: 'close' });
      await closed;
      breakDown(new Error('the client in the other thread has ended'));
    },
  };
}

function nextFrom(port: MessagePort): FromThread | undefined {
  return receiveMessageOnPort(port)?.message as FromThread | undefined;
}
