import type { Dispatcher } from 'undici';
import type { HttpAnswer, HttpHeaders, HttpRequest } from '../../providers/provider.ts';
import { type BodyShare, type LargeBodies, smallBodyBytes } from './large-bodies.ts';

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

interface RequestTerms {
  readonly signal: AbortSignal;
  readonly signalUntilSent?: AbortSignal;
  readonly timeoutMs: number;
  readonly bodies: LargeBodies;
  readonly share: BodyShare;
  readonly maxBodyBytes: number;
  /** Called when the socket is ready; false cancels the request. */
  readonly onStart: () => boolean;
}

/**
 * Reads every body, because an unread one would block its socket forever. Uses `dispatch`, because
 * undici's `request` does not show when the request is written.
 */
export function sendRequest(dispatcher: Dispatcher, request: HttpRequest, terms: RequestTerms) {
  const { signal, signalUntilSent = signal, bodies, share, maxBodyBytes } = terms;
  if (signalUntilSent.aborted) return Promise.reject(signalUntilSent.reason);
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  let status = 0;
  let headers: HttpHeaders = {};
  let chunks: Buffer[] = [];
  let receivedBytes = 0;

  const end = () => {
    if (isOver) return false;
    isOver = true;
    timer.pause();
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
  const timer = startTimer(terms.timeoutMs, giveUp);
  let stopWatching = watchSignal(signalUntilSent, () => giveUp(signalUntilSent.reason));

  /** Pauses the body and its timeout, because the service does not cause this delay. */
  const waitForRoom = (current: Dispatcher.DispatchController) => {
    const goOn = () => {
      if (isOver) return;
      timer.resume();
      current.resume();
    };
    // Undici delivers buffered data of a closed connection even while paused, so check the timer.
    if (timer.isPaused() || bodies.mayGrow(share, goOn)) return;
    current.pause();
    timer.pause();
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      stopWatching();
      // A throw cancels the request and, unlike an abort, keeps the socket open.
      if (isOver || !terms.onStart()) throw new TooLateError('the socket was ready too late');
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
      if (receivedBytes <= maxBodyBytes) {
        // Never delay an error, because it may stop the run.
        if (!isError && !isSmall) waitForRoom(current);
        return;
      }
      if (isError) answer();
      else fail(new BodyTooLargeError(`the answer is larger than ${maxBodyBytes} bytes`));
      chunks = [];
      current.abort(new Error('too large'));
    },
    onResponseEnd: answer,
    onResponseError: (_controller, error) => fail(error),
  };
  // Only our timer applies: undici's timeouts limit the gap between bytes, not the whole answer.
  dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler);
  return promise;
}

/** `setTimeout` fires at once for a longer delay. */
const longestTimerMs = 2 ** 31 - 1;

function startTimer(timeoutMs: number, giveUp: (reason: TimeOverError) => void) {
  let leftMs = timeoutMs;
  let startedAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  // After a stall of this process, timers fire before sockets are read, so read first.
  const onTimer = () =>
    setImmediate(() => giveUp(new TimeOverError('no complete answer within the time allowed')));
  const resume = () => {
    startedAtMs = performance.now();
    timer = setTimeout(onTimer, Math.min(Math.ceil(leftMs), longestTimerMs));
  };
  resume();
  return {
    resume,
    pause() {
      clearTimeout(timer);
      timer = undefined;
      leftMs = Math.max(0, leftMs - performance.now() + startedAtMs);
    },
    isPaused: () => timer === undefined,
  };
}

function joined(chunks: readonly Buffer[]) {
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
function watchSignal(signal: AbortSignal, onAbort: () => void) {
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
