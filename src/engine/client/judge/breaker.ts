import { DossierError, type ErrorCode } from '../../../core/errors.ts';
import type { RunStop } from '../run-stop.ts';

const watchedAttempts = 100;
/** If even the first 25 calls are invalid, the job is wrong. */
const firstInvalid = 25;
/** Five in a row without a hit mean that the adapter is wrong, or that the service has changed. */
const mostUnreadable = 5;
const firstFailed = 3;
/** Five refusals in a row mean a problem with the key, not with the rows. */
const mostRefusals = 5;

/** Stops the run if the answers show that key, job or service are wrong, not single rows. */
export interface Breaker {
  readonly hasEverFound: boolean;
  /** No attempt has failed since the last hit, so what looks like a company most likely is one. */
  readonly trustsHits: boolean;
  noteFailedAttempt(reason: string): void;
  noteAnswer(kind: AnsweredKind, message?: string): void;
  /** Takes back a presumed hit: its body has no company. Its real kind is noted next. */
  noteMisread(): void;
  /** The result of another run proves address, key and job, but not that the service works now. */
  noteFetchedElsewhere(kind: 'hit' | 'miss'): void;
  noteFailedCall(
    reason: string,
    status: number,
    isUnreached: boolean,
    hasFailedBefore: boolean,
  ): void;
  noteRefusal(code: 'KEY_REFUSED' | 'QUOTA_SPENT', message: string, hasFailedBefore: boolean): void;
  /** Throws if no call was answered because the service could not be reached. */
  requireAnswers(): void;
}

type AnsweredKind = 'hit' | 'miss' | 'invalid' | 'oversized' | 'unreadable';

export function createBreaker(serviceName: string, runStop: RunStop, foundBefore = false): Breaker {
  const attempts = createRecentAttempts();
  const failedFirst: FailedCall[] = [];
  let callsSettled = 0;
  let callsInvalid = 0;
  let callsUnreadable = 0;
  let refusals = 0;
  let hasAnswered = false;
  let isAccepted = false;
  let hasEverFound = foundBefore;
  let trustsHits = false;

  const stop = (code: ErrorCode, message: string) => runStop.stop(new DossierError(code, message));
  const stopUnanswered = () => runStop.stop(unanswered(serviceName, failedFirst));
  const noteInvalid = (message: string) => {
    callsInvalid += 1;
    if (callsInvalid !== firstInvalid || callsSettled !== firstInvalid) return;
    const detail = message === '' ? ', without a reason' : `; its last message: ${message}`;
    const what = `rejected the first ${firstInvalid} calls as invalid${detail}`;
    stop('JOB_REFUSED', `${serviceName} ${what}`);
  };

  return {
    get hasEverFound() {
      return hasEverFound;
    },
    get trustsHits() {
      return trustsHits;
    },
    noteFailedAttempt(reason) {
      attempts.note(true);
      trustsHits = false;
      const failed = attempts.tooManyFailed();
      if (failed) stop('SERVICE_DOWN', `${serviceName} ${failed}; the last: ${reason}`);
    },
    noteAnswer(kind, message = '') {
      attempts.note(false);
      hasAnswered = true;
      isAccepted = true;
      refusals = 0;
      callsSettled += 1;
      if (kind === 'hit') {
        hasEverFound = true;
        trustsHits = true;
        callsUnreadable = 0;
      }
      if (kind === 'invalid') noteInvalid(message);
      if (kind === 'unreadable') callsUnreadable += 1;
      if (callsUnreadable < mostUnreadable) return;
      stop('ADAPTER_UNFIT', `${callsUnreadable} answers in a row could not be read; ${message}`);
    },
    noteMisread() {
      trustsHits = false;
      callsSettled -= 1;
      attempts.forgetAnswer();
    },
    noteFetchedElsewhere(kind) {
      isAccepted = true;
      callsSettled += 1;
      if (kind === 'hit') hasEverFound = true;
    },
    noteFailedCall(reason, status, isUnreached, hasFailedBefore) {
      callsSettled += 1;
      // A call that also failed in an earlier run must not stop every run.
      if (hasAnswered || (hasFailedBefore && !isUnreached)) return;
      // If others fetched most results, the calls left over are the ones that fail for everybody.
      // Their HTTP errors say nothing about the service.
      if (isAccepted && status > 0) return;
      failedFirst.push({ reason, status });
      if (failedFirst.length >= firstFailed) stopUnanswered();
    },
    noteRefusal(code, message, hasFailedBefore) {
      callsSettled += 1;
      // A firewall may refuse a call forever. That may stop the first run, but not every run.
      if (hasFailedBefore && code === 'KEY_REFUSED') return;
      refusals += 1;
      if (!isAccepted && !hasFailedBefore) stop(code, message);
      else if (refusals >= mostRefusals) {
        stop(code, `${message}; ${refusals} calls in a row were refused`);
      }
    },
    requireAnswers() {
      // A failure with an HTTP status fails only its row, because the service is reachable.
      if (!hasAnswered && failedFirst.some(({ status }) => status === 0)) stopUnanswered();
      runStop.signal.throwIfAborted();
    },
  };
}

function createRecentAttempts() {
  const haveFailed: boolean[] = [];
  return {
    note(hasFailed: boolean) {
      haveFailed.push(hasFailed);
      if (haveFailed.length > watchedAttempts) haveFailed.shift();
    },
    forgetAnswer() {
      const last = haveFailed.lastIndexOf(false);
      if (last !== -1) haveFailed.splice(last, 1);
    },
    /** In words, if more than half of them failed. */
    tooManyFailed() {
      const failed = haveFailed.filter(Boolean).length;
      const made = haveFailed.length;
      return failed > watchedAttempts / 2 && `failed ${failed} of the last ${made} attempts`;
    },
  };
}

type FailedCall = { readonly reason: string; readonly status: number };

function unanswered(serviceName: string, failed: readonly FailedCall[]) {
  const { length } = failed;
  const calls = length === 1 ? 'the only call' : `all ${length} calls`;
  const last = `the last: ${failed.at(-1)?.reason}`;
  return failed.every(({ status }) => status === 404)
    ? new DossierError('JOB_REFUSED', `${serviceName} answered 404 to ${calls}; ${last}`)
    : new DossierError('SERVICE_DOWN', `${serviceName} failed ${calls}; ${last}`);
}
