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
 * A request on its way, as undici tells of it. One object with shared functions: a function of its
 * own for each step of each request makes a kilobyte more to clear away.
 */
interface Exchange extends Dispatcher.DispatchHandler {
  readonly maxBodyBytes: number;
  readonly onStart: () => void;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (reason: unknown) => void;
  stopWatching: (() => void) | undefined;
  stopTimer: (() => void) | undefined;
  controller: Dispatcher.DispatchController | undefined;
  isOver: boolean;
  status: number;
  headers: HttpHeaders;
  kept: Buffer[];
  receivedBytes: number;
}

const noHeaders: HttpHeaders = {};

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
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const started: Exchange = {
      maxBodyBytes,
      onStart,
      resolve,
      reject,
      stopWatching: undefined,
      stopTimer: undefined,
      controller: undefined,
      isOver: false,
      status: 0,
      headers: noHeaders,
      kept: [],
      receivedBytes: 0,
      onRequestStart,
      onResponseStart,
      onResponseData,
      onResponseEnd,
      onResponseError,
    };
    started.stopWatching = watchSignal(signal, () => giveUp(started, signal.reason));
    if (timeoutMs !== undefined) {
      started.stopTimer = deadlines.watch(timeoutMs, () =>
        giveUp(started, new TimeOverError('the time is over')),
      );
    }
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // Both watch the time between bytes, which a slow drip never exceeds. The whole has its own
        // deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      started,
    );
  });
}

function onRequestStart(this: Exchange, controller: Dispatcher.DispatchController): void {
  this.controller = controller;
  // It waited for a connection, and nobody wants it any more: it must not leave.
  if (this.isOver) controller.abort(new Error('given up'));
  else this.onStart();
}

function onResponseStart(
  this: Exchange,
  _controller: Dispatcher.DispatchController,
  status: number,
  headers: HttpHeaders,
): void {
  // 100 and 103 only announce the answer.
  if (status < 200) return;
  this.status = status;
  this.headers = headers;
}

function onResponseData(
  this: Exchange,
  controller: Dispatcher.DispatchController,
  chunk: Buffer,
): void {
  if (this.isOver) return;
  this.receivedBytes += chunk.length;
  const isError = this.status >= 300;
  if (!isError || this.receivedBytes <= errorBodyBytes) this.kept.push(chunk);
  if (this.receivedBytes <= this.maxBodyBytes) return;
  if (isError) answer(this);
  else fail(this, new BodyTooLargeError(`the answer has over ${this.maxBodyBytes} bytes`));
  this.kept = [];
  controller.abort(new Error('too large'));
}

function onResponseEnd(this: Exchange): void {
  answer(this);
}

function onResponseError(this: Exchange, _controller: unknown, error: Error): void {
  fail(this, error);
}

function answer(current: Exchange): void {
  const { status, headers, kept } = current;
  if (end(current)) current.resolve({ status, headers, body: whole(kept) });
}

function fail(current: Exchange, reason: unknown): void {
  if (end(current)) current.reject(reason);
}

function giveUp(current: Exchange, reason: unknown): void {
  if (current.isOver) return;
  fail(current, reason);
  current.controller?.abort(new Error('given up'));
}

/** Whether this is the end; what comes after it changes nothing. */
function end(current: Exchange): boolean {
  if (current.isOver) return false;
  current.isOver = true;
  current.stopWatching?.();
  current.stopTimer?.();
  return true;
}

/** Mostly an answer comes in one piece, which need not be copied. */
function whole(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}
