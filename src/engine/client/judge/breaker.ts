import { DossierError, type ErrorCode } from '../../../core/errors.ts';
import type { RunStop } from '../run-stop.ts';

const watchedAttempts = 100;
/** A run whose first calls, this many, are all invalid has a wrong job. */
const firstInvalid = 25;
/** A run stops when this many calls have failed and none was answered. */
const firstFailed = 3;
/** This many refusals with no answer between them are about the key, not about the rows. */
const mostRefusals = 5;

/**
 * The circuit breaker: stops a run that cannot succeed before it has asked for every row in vain. Only
 * answers of this execution count: cache hits say nothing about the service tonight.
 */
export function openBreaker(serviceName: string, runStop: RunStop, wasProven = false) {
  /** The last attempts, true where one failed. */
  const recent: boolean[] = [];
  let failures = 0;
  let callsSettled = 0;
  let callsInvalid = 0;
  let hasAnswered = false;
  let isProven = wasProven;
  let refusals = 0;
  /** Calls that failed before any was answered. */
  const failedFirst: { readonly reason: string; readonly status: number }[] = [];

  const note = (hasFailed: boolean) => {
    recent.push(hasFailed);
    if (hasFailed) failures += 1;
    if (recent.length > watchedAttempts && recent.shift()) failures -= 1;
  };
  const stop = (code: ErrorCode, message: string) => runStop.stop(new DossierError(code, message));
  const stopUnanswered = () => {
    const { length } = failedFirst;
    const calls = length === 1 ? 'the only call' : `all ${length} calls`;
    const last = `the last: ${failedFirst.at(-1)?.reason}`;
    const is404 = failedFirst.every(({ status }) => status === 404);
    if (is404) stop('JOB_REFUSED', `${serviceName} says 404 to ${calls}; ${last}`);
    else stop('SERVICE_DOWN', `${serviceName} has failed ${calls}; ${last}`);
  };

  return {
    /** Whether the service has ever given a hit. */
    get isProven(): boolean {
      return isProven;
    },
    noteFailedAttempt(reason: string) {
      note(true);
      if (failures > watchedAttempts / 2) {
        const what = `failed ${failures} of the last ${recent.length} attempts`;
        stop('SERVICE_DOWN', `${serviceName} ${what}; the last: ${reason}`);
      }
    },
    /** The service answered a call; the message is there when it called it invalid. */
    noteAnswer(kind: 'hit' | 'miss' | 'invalid' | 'oversized', message = '') {
      note(false);
      hasAnswered = true;
      refusals = 0;
      callsSettled += 1;
      if (kind === 'hit') isProven = true;
      if (kind === 'invalid') callsInvalid += 1;
      if (callsInvalid === firstInvalid && callsSettled === firstInvalid) {
        const said = message === '' ? ', without a reason' : `; the last time it said: ${message}`;
        stop('JOB_REFUSED', `${serviceName} called the first ${firstInvalid} calls invalid${said}`);
      }
    },
    /** A call has used all its attempts. Its status is 0 where no HTTP answer came. */
    noteFailedCall(reason: string, status: number, isUnreached: boolean, hasFailedBefore: boolean) {
      callsSettled += 1;
      // A call that fails every night stops one run, and not every one.
      if (hasAnswered || (hasFailedBefore && !isUnreached)) return;
      failedFirst.push({ reason, status });
      if (failedFirst.length >= firstFailed) stopUnanswered();
    },
    /** A call was forbidden, or the quota does not allow it. */
    noteRefusal(code: 'KEY_REFUSED' | 'QUOTA_SPENT', message: string, hasFailedBefore: boolean) {
      callsSettled += 1;
      // A firewall may refuse some rows for ever, so they stop the run once, and not every night. A quota
      // comes back, and its rows are not to blame.
      if (hasFailedBefore && code === 'KEY_REFUSED') return;
      refusals += 1;
      if (!hasAnswered && !hasFailedBefore) stop(code, message);
      else if (refusals >= mostRefusals) {
        stop(code, `${message}; ${refusals} calls in a row got no other answer`);
      }
    },
    /** Every call has its outcome: stops the run where the service could not be reached for any. */
    judgeEnd() {
      // One or two calls that fail with an HTTP answer are failed rows: the service can be reached.
      if (!hasAnswered && failedFirst.some(({ status }) => status === 0)) stopUnanswered();
    },
  };
}
