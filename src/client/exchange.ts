import type { Dispatcher } from 'undici';
import { openDeadlines } from './deadlines.ts';
import { watchSignal } from './watch-signal.ts';

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Scheme, host and port; a URL would be taken apart again for each request. */
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

interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** For the whole of it. */
  readonly timeoutMs?: number;
  readonly maxBodyBytes: number;
  /** Called when the request is about to be written to its socket. */
  readonly onStart: () => void;
}

/** The answer is larger than allowed. Asking again would cost again and be no smaller. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The whole answer was not there in time. */
export class TimeOverError extends Error {
  override readonly name = 'TimeOverError';
}

/** Of an error only the beginning is kept: its status decides, its message is short. */
const errorBodyBytes = 256 * 1_024;

const deadlines = openDeadlines();

/**
 * One request and its whole answer. Every body is read to its end or its connection is given up,
 * since an unread body would pin a socket of the pool for good.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  { signal, timeoutMs, maxBodyBytes, onStart }: ExchangeOptions,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: HttpHeaders = {};
    let kept: Buffer[] = [];
    let receivedBytes = 0;

    /** Whether this is the end; what comes after it changes nothing. */
    const end = () => {
      if (isOver) return false;
      isOver = true;
      stopWatching();
      stopTimer?.();
      return true;
    };
    const giveUp = (reason: unknown) => {
      if (!end()) return;
      reject(reason);
      controller?.abort(new Error('given up'));
    };
    const expire = () => giveUp(new TimeOverError('the time is over'));
    const answer = () => {
      if (end()) resolve({ status, headers, body: whole(kept) });
    };

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (current) => {
        controller = current;
        // It waited for a connection, and nobody wants it any more: it must not leave.
        if (isOver) current.abort(new Error('given up'));
        else onStart();
      },
      onResponseStart: (_controller, statusCode, responseHeaders) => {
        // 100 and 103 only announce the answer.
        if (statusCode < 200) return;
        status = statusCode;
        headers = responseHeaders;
      },
      onResponseData: (current, chunk) => {
        if (isOver) return;
        receivedBytes += chunk.length;
        const isError = status >= 300;
        if (!isError || receivedBytes <= errorBodyBytes) kept.push(chunk);
        if (receivedBytes <= maxBodyBytes) return;
        if (isError) answer();
        else if (end()) reject(new BodyTooLargeError(`the answer has over ${maxBodyBytes} bytes`));
        kept = [];
        current.abort(new Error('too large'));
      },
      onResponseEnd: answer,
      onResponseError: (_controller, error) => {
        if (end()) reject(error);
      },
    };

    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stopWatching = watchSignal(signal, () => giveUp(signal.reason));
    const stopTimer = timeoutMs === undefined ? undefined : deadlines.watch(timeoutMs, expire);
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // Both watch the time between bytes, which a slow drip never exceeds. The signal is the
        // deadline of the whole.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handler,
    );
  });
}

/** Mostly an answer comes in one piece, which need not be copied. */
function whole(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}
