import { DossierError } from '../../errors.ts';
import type { RunStop } from '../run-stop.ts';

const watchedAttempts = 100;
const firstCalls = 25;

export interface Breaker {
  noteFailedAttempt(reason: string): void;
  /** The service answered a call; the message is there when it called it invalid. */
  noteAnswer(kind: 'hit' | 'miss' | 'invalid' | 'oversized', message?: string): void;
  /** A call has used all its attempts. */
  noteFailedCall(reason: string): void;
}

/** The circuit breaker: stops a run that cannot succeed before it has asked for every row in vain. */
export function openBreaker(
  serviceName: string,
  runStop: RunStop,
  isKnownToAnswer = false,
): Breaker {
  /** The last attempts, true where one failed. */
  const recent: boolean[] = [];
  let failures = 0;
  let callsSettled = 0;
  let callsInvalid = 0;
  let hasAnswered = isKnownToAnswer;

  const note = (hasFailed: boolean) => {
    recent.push(hasFailed);
    if (hasFailed) failures += 1;
    if (recent.length > watchedAttempts && recent.shift()) failures -= 1;
  };
  const down = (what: string, reason: string) =>
    runStop.stop(new DossierError('SERVICE_DOWN', `${serviceName} ${what}; the last: ${reason}`));

  return {
    noteFailedAttempt: (reason) => {
      note(true);
      if (failures > watchedAttempts / 2) {
        down(`failed ${failures} of the last ${recent.length} attempts`, reason);
      }
    },
    noteAnswer: (kind, message = '') => {
      note(false);
      hasAnswered = true;
      callsSettled += 1;
      if (kind === 'invalid') callsInvalid += 1;
      if (callsInvalid === firstCalls && callsSettled === firstCalls) {
        const said = message === '' ? ', without a reason' : `; the last time it said: ${message}`;
        const text = `${serviceName} called the first ${firstCalls} calls invalid${said}`;
        runStop.stop(new DossierError('JOB_REFUSED', text));
      }
    },
    noteFailedCall: (reason) => {
      callsSettled += 1;
      if (!hasAnswered) down('has answered no call yet, and one failed for good', reason);
    },
  };
}
