import type { Dispatcher } from 'undici';
import { type BodyShare, type LargeBodies, smallBodyBytes } from './large-bodies.ts';

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

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

/** `setTimeout` fires at once for a longer delay. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Reads every body, because an unread one would block its socket forever. Uses `dispatch`, because
 * undici's `request` does not show when the request is written.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  {
    signal,
    signalUntilSent = signal,
    timeoutMs,
    bodies,
    share,
    maxBodyBytes,
    onStart,
  }: {
    readonly signal: AbortSignal;
    readonly signalUntilSent?: AbortSignal;
    readonly timeoutMs: number;
    readonly bodies: LargeBodies;
    readonly share: BodyShare;
    readonly maxBodyBytes: number;
    /** Called when the socket is ready; false cancels the request. */
    readonly onStart: () => boolean;
  },
): Promise<HttpAnswer> {
  if (signalUntilSent.aborted) return Promise.reject(signalUntilSent.reason);
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  let isHeld = false;
  let status = 0;
  let headers: HttpHeaders = {};
  let chunks: Buffer[] = [];
  let receivedBytes = 0;

  const end = () => {
    if (isOver) return false;
    isOver = true;
    clearTimeout(timer);
    stopWatching();
    return true;
  };
  const answer = () => {
    if (end()) resolve({ status, headers, body: joined(chunks) });
  };
  const fail = (reason: unknown) => {
    if (end()) reject(reason);
  };
  const giveUp = (reason: unknown) => {
    if (isOver) return;
    fail(reason);
    controller?.abort(new Error('given up'));
  };
  // After a stall of this process, timers fire before sockets are read, so read first.
  const onTimer = () =>
    setImmediate(() => giveUp(new TimeOverError('no complete answer within the time allowed')));
  let leftMs = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  let startedAtMs = 0;
  const startTimer = () => {
    startedAtMs = performance.now();
    timer = setTimeout(onTimer, Math.min(Math.ceil(leftMs), longestTimerMs));
  };
  startTimer();
  let stopWatching = watchSignal(signalUntilSent, () => giveUp(signalUntilSent.reason));

  /** Pauses the body and its timeout, because the service does not cause this delay. */
  const waitForRoom = (current: Dispatcher.DispatchController) => {
    const goOn = () => {
      if (isOver) return;
      isHeld = false;
      startTimer();
      current.resume();
    };
    // Undici delivers buffered data of a closed connection even while paused, so check `isHeld`.
    if (isHeld || bodies.mayGrow(share, goOn)) return;
    isHeld = true;
    current.pause();
    clearTimeout(timer);
    leftMs -= performance.now() - startedAtMs;
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      stopWatching();
      // A throw cancels the request and, unlike an abort, keeps the socket open.
      if (isOver || !onStart()) throw new TooLateError('the socket was ready too late');
      stopWatching = watchSignal(signal, () => giveUp(signal.reason));
    },
    onResponseStart(_controller, statusCode, received) {
      if (statusCode < 200) return;
      status = statusCode;
      headers = received;
    },
    onResponseData(current, chunk) {
      if (isOver) return;
      receivedBytes += chunk.length;
      const isError = status >= 300;
      const isSmall = receivedBytes <= smallBodyBytes;
      if (!isError || isSmall) chunks.push(chunk);
      // Never delay an error, because it may stop the run.
      if (!isError && !isSmall && receivedBytes <= maxBodyBytes) waitForRoom(current);
      if (receivedBytes <= maxBodyBytes) return;
      if (isError) answer();
      else fail(new BodyTooLargeError(`the answer is larger than ${maxBodyBytes} bytes`));
      chunks = [];
      current.abort(new Error('too large'));
    },
    onResponseEnd: answer,
    onResponseError: (_controller, error) => fail(error),
  };
  const { origin, path, method, body = null } = request;
  // Only our timer applies: undici's timeouts limit the gap between bytes, not the whole answer.
  const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };
  dispatcher.dispatch(
    { origin, path, method, headers: request.headers, body, ...noTimeouts },
    handler,
  );
  return promise;
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

interface Watcher {
  index: number;
  readonly onAbort: () => void;
}

/** Arrays, because V8 keeps entries removed from a long-lived Set until a full collection. */
const watchersOf = new WeakMap<AbortSignal, Watcher[]>();

/** All calls share one listener: one per call costs 25 µs, nearly all garbage collection. */
function watchSignal(signal: AbortSignal, onAbort: () => void): () => void {
  const watchers = watchersOf.get(signal) ?? listenTo(signal);
  const watcher: Watcher = { index: watchers.length, onAbort };
  watchers.push(watcher);
  return () => {
    if (watchers[watcher.index] !== watcher) return;
    const last = watchers.pop();
    if (!last || last === watcher) return;
    last.index = watcher.index;
    watchers[last.index] = last;
  };
}

function listenTo(signal: AbortSignal): Watcher[] {
  const watchers: Watcher[] = [];
  const abortAll = () => {
    // One at a time, because a callback may remove others.
    for (let next = watchers.pop(); next; next = watchers.pop()) next.onAbort();
  };
  signal.addEventListener('abort', abortAll, { once: true });
  watchersOf.set(signal, watchers);
  return watchers;
}
