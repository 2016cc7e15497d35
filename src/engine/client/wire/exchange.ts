import type { Dispatcher } from 'undici';
import { type BodyShare, type LargeBodies, smallBodyBytes } from './large-bodies.ts';

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Scheme, host and port. */
  readonly origin: string;
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

/** The answer is larger than allowed. Asking again would cost again and be no smaller. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The whole answer was not there in time. */
export class TimeOverError extends Error {
  override readonly name = 'TimeOverError';
}

/** The socket was ready too late, so the request has to take its turn again. */
export class TooLateError extends Error {
  override readonly name = 'TooLateError';
}

/** `setTimeout` fires at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * One request and its whole answer. Every body is read to its end or its connection is given up,
 * since an unread body would pin a socket of the pool for good. `dispatch` and not undici's
 * `request`: only a handler sees the moment of writing, which the rate counts, and can keep a
 * request back that was given up while it waited for a connection.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  {
    signal,
    keepBack = signal,
    timeoutMs,
    bodies,
    share,
    maxBodyBytes,
    onStart,
  }: {
    readonly signal: AbortSignal;
    /** Aborted to keep the request back where it has not left; one that has left goes on. */
    readonly keepBack?: AbortSignal;
    /** For the whole exchange, the last byte of the answer included. */
    readonly timeoutMs: number;
    /** Holds back a large body while there are others. */
    readonly bodies: LargeBodies;
    readonly share: BodyShare;
    readonly maxBodyBytes: number;
    /** Called when the request is about to be written to its socket. False keeps it back. */
    readonly onStart: () => boolean;
  },
): Promise<HttpAnswer> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (keepBack.aborted) return Promise.reject(keepBack.reason);
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  let isHeld = false;
  let status = 0;
  let headers: HttpHeaders = {};
  let chunks: Buffer[] = [];
  let receivedBytes = 0;

  /** Whether this is the end of the exchange; what comes after it changes nothing. */
  const end = () => {
    if (isOver) return false;
    isOver = true;
    clearTimeout(timer);
    stopWatching();
    stopKeeping();
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
  // After a stall of the process, timers fire before the sockets are read. An answer that has come
  // in the meantime is read first, or it would be paid for again.
  const onTimer = () => setImmediate(() => giveUp(new TimeOverError('the time is over')));
  let leftMs = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  let startedAtMs = 0;
  const startTimer = () => {
    startedAtMs = performance.now();
    timer = setTimeout(onTimer, Math.min(Math.ceil(leftMs), longestTimerMs));
  };
  startTimer();
  const stopWatching = watchSignal(signal, () => giveUp(signal.reason));
  const stopKeeping = watchSignal(keepBack, () => giveUp(keepBack.reason));

  /**
   * Lets the rest of a large body wait in the socket until there is room for it. The deadline waits, too: the
   * service is not slow.
   */
  const waitForRoom = (current: Dispatcher.DispatchController) => {
    const goOn = () => {
      if (isOver) return;
      isHeld = false;
      startTimer();
      current.resume();
    };
    // Undici gives what it has read from a connection that was closed, held back or not.
    if (isHeld || bodies.mayGrow(share, goOn)) return;
    isHeld = true;
    current.pause();
    clearTimeout(timer);
    leftMs -= performance.now() - startedAtMs;
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      stopKeeping();
      // A throw keeps the request from leaving, and unlike an abort it leaves the socket open.
      if (isOver || !onStart()) throw new TooLateError('the socket was ready too late');
    },
    onResponseStart(_controller, statusCode, received) {
      // 100 and 103 only announce the answer.
      if (statusCode < 200) return;
      status = statusCode;
      headers = received;
    },
    onResponseData(current, chunk) {
      if (isOver) return;
      receivedBytes += chunk.length;
      const isError = status >= 300;
      const isSmall = receivedBytes <= smallBodyBytes;
      // Of an error only the beginning is kept: its status decides, its message is short.
      if (!isError || isSmall) chunks.push(chunk);
      // An error is never held back, since it may stop the run.
      if (!isError && !isSmall && receivedBytes <= maxBodyBytes) waitForRoom(current);
      if (receivedBytes <= maxBodyBytes) return;
      if (isError) answer();
      else fail(new BodyTooLargeError(`the answer has over ${maxBodyBytes} bytes`));
      chunks = [];
      current.abort(new Error('too large'));
    },
    onResponseEnd: answer,
    onResponseError: (_controller, error) => fail(error),
  };
  const { origin, path, method, body = null } = request;
  // Undici's timeouts watch the time between bytes, which a slow drip never exceeds.
  const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };
  dispatcher.dispatch(
    { origin, path, method, headers: request.headers, body, ...noTimeouts },
    handler,
  );
  return promise;
}

/** Most answers come in one chunk, which need not be copied. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

interface Watcher {
  /** Where it stands in the list, so that leaving takes no search. */
  index: number;
  readonly onAbort: () => void;
}

/**
 * An array for each signal. V8 keeps what a linked list or a Set has dropped for as long as the list
 * itself is old, and a run has one signal for all its calls.
 */
const watchersOf = new WeakMap<AbortSignal, Watcher[]>();

/**
 * Calls back once when the signal aborts, unless the function that it returns was called before. One
 * listener of the signal serves all calls: `addEventListener` for each takes 25 µs a call, nearly
 * all of it garbage collection.
 */
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
  const tellAll = () => {
    // One at a time: a callback may take others out.
    for (let next = watchers.pop(); next; next = watchers.pop()) next.onAbort();
  };
  signal.addEventListener('abort', tellAll, { once: true });
  watchersOf.set(signal, watchers);
  return watchers;
}
