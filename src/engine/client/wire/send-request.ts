import type { Dispatcher } from 'undici';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../../providers/provider.ts';

/**
 * The largest company has about 500 KB. Every call in flight may hold such a body, compressed and
 * plain, and a process that runs out of memory loses paid answers.
 */
export const defaultMaxBodyBytes = 4 * 1_024 * 1_024;

/** The status and a short message are enough to judge an error. */
export const mostErrorBytes = 256 * 1_024;

/** Not retried, because the next answer would cost again and be just as large. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

export class TimeOverError extends Error {
  override readonly name = 'TimeOverError';
}

/** The request was not sent and needs a new permit. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly signalUntilSent?: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** Called when the socket is ready; false cancels the request. */
  readonly onStart: () => boolean;
}

/**
 * Reads every body, because an unread one would block its socket forever. Uses `dispatch`, because
 * undici's `request` does not show when the request is written.
 */
export function sendRequest(
  dispatcher: Dispatcher,
  request: HttpRequest,
  terms: SendOptions,
): Promise<HttpResponse> {
  const pending = new PendingResponse(terms);
  // Only our timer applies: undici's timeouts limit the gap between bytes, not the whole answer.
  if (!pending.isOver)
    dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, pending);
  return pending.promise;
}

/** One object per request makes less garbage than a closure for each event. */
class PendingResponse implements Dispatcher.DispatchHandler, Watcher {
  readonly promise: Promise<HttpResponse>;
  isOver = false;
  index = 0;
  private readonly terms: SendOptions;
  private readonly resolve: (answer: HttpResponse) => void;
  private readonly reject: (reason: unknown) => void;
  private readonly timeout: NodeJS.Timeout;
  private signal: AbortSignal;
  private watchers: Watcher[] | undefined;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: HttpHeaders = {};
  private chunks: Buffer[] = [];
  private receivedBytes = 0;

  constructor(terms: SendOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.terms = terms;
    this.promise = promise;
    this.resolve = resolve;
    this.reject = reject;
    this.signal = terms.signalUntilSent ?? terms.signal;
    const ms = Math.min(Math.ceil(terms.timeoutMs), longestTimerMs);
    this.timeout = setTimeout(endAfterReading, ms, this);
    if (this.signal.aborted) this.fail(this.signal.reason);
    else this.watch(this.signal);
  }

  onAbort() {
    this.giveUp(this.signal.reason);
  }

  onTimeOver() {
    this.giveUp(new TimeOverError('no complete answer within the time allowed'));
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.controller = controller;
    this.unwatch();
    // A throw cancels the request and, unlike an abort, keeps the socket open.
    if (this.isOver || !this.terms.onStart())
      throw new TooLateError('the socket was ready too late');
    this.watch(this.terms.signal);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: HttpHeaders) {
    if (statusCode < 200) return;
    this.status = statusCode;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.isOver) return;
    const { maxBodyBytes } = this.terms;
    this.receivedBytes += chunk.length;
    const isError = this.status >= 300;
    if (!isError || this.receivedBytes <= mostErrorBytes) this.chunks.push(chunk);
    if (this.receivedBytes <= maxBodyBytes) return;
    if (isError) this.onResponseEnd();
    else this.fail(new BodyTooLargeError(`the answer is larger than ${maxBodyBytes} bytes`));
    this.chunks = [];
    controller.abort(new Error('too large'));
  }

  onResponseEnd() {
    if (this.isOver) return;
    this.end();
    const { status, headers, chunks } = this;
    this.resolve({ status, headers, body: joined(chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.fail(error);
  }

  private giveUp(reason: unknown) {
    if (this.isOver) return;
    this.fail(reason);
    this.controller?.abort(new Error('given up'));
  }

  private fail(reason: unknown) {
    if (this.isOver) return;
    this.end();
    this.reject(reason);
  }

  private end() {
    this.isOver = true;
    clearTimeout(this.timeout);
    this.unwatch();
  }

  private watch(signal: AbortSignal) {
    this.signal = signal;
    this.watchers = watchersOf.get(signal) ?? listenTo(signal);
    this.index = this.watchers.length;
    this.watchers.push(this);
  }

  private unwatch() {
    const { watchers, index } = this;
    if (watchers?.[index] !== this) return;
    const last = watchers.pop();
    if (!last || last === this) return;
    last.index = index;
    watchers[index] = last;
  }
}

/** `setTimeout` fires at once for a longer delay. */
const longestTimerMs = 2 ** 31 - 1;

/** After a stall of this process, timers fire before sockets are read, so read first. */
function endAfterReading(owner: { onTimeOver(): void }) {
  setImmediate(() => owner.onTimeOver());
}

function joined(chunks: readonly Buffer[]) {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

interface Watcher {
  index: number;
  onAbort(): void;
}

/**
 * All calls share one listener: one per call costs 25 µs, nearly all garbage collection. Arrays,
 * because V8 keeps entries removed from a long-lived Set until a full collection.
 */
const watchersOf = new WeakMap<AbortSignal, Watcher[]>();

function listenTo(signal: AbortSignal) {
  const watchers: Watcher[] = [];
  const abortAll = () => {
    // One at a time, because a callback may remove others.
    for (let next = watchers.pop(); next; next = watchers.pop()) next.onAbort();
  };
  signal.addEventListener('abort', abortAll, { once: true });
  watchersOf.set(signal, watchers);
  return watchers;
}
