import { DossierError } from '../../errors.ts';
import { isWorthRetrying, outsideFailure } from '../../runtime/outside-failures.ts';
import { PassingTrouble } from './delivery.ts';

/** No list is worth a longer wait within one start. */
const longestWaitMs = 30_000;

/** The error for an answer that brings no list. */
export function refusedList(name: string, status: number, retryAfter: string | undefined): unknown {
  return asTrouble(name, { status }, waitOf(retryAfter));
}

/** The error for a connection that was not made, or was lost. */
export function lostList(name: string, error: unknown): unknown {
  if (error instanceof DossierError || error instanceof PassingTrouble) return error;
  return asTrouble(name, error);
}

function asTrouble(name: string, failure: unknown, waitMs?: number): unknown {
  const error = outsideFailure('web', name, failure);
  return error && isWorthRetrying('web', failure) ? new PassingTrouble(error, waitMs) : error;
}

/** Seconds, or a date; undefined where it is neither. */
function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs);
}
