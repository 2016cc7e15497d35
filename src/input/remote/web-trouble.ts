import { DossierError } from '../../errors.ts';
import { describeFailure } from '../../runtime/net/describe-failure.ts';
import { PassingTrouble } from './delivery.ts';

/** Asked again, these answers may be others. */
const passing = [408, 425, 429, 500, 502, 503, 504];
/** No list is worth a longer wait within one start. */
const longestWaitMs = 30_000;

/** The error for an answer that brings no list. */
export function refusedList(
  name: string,
  status: number,
  retryAfter: string | undefined,
): DossierError | PassingTrouble {
  const told = `(HTTP ${status})`;
  if (status === 401) {
    return new DossierError(
      'INPUT_REFUSED',
      `${name} wants a user and a password, or others ${told}`,
    );
  }
  if (status === 403) {
    const message = `${name} may not be read so ${told}: a signed address may have expired, or be signed for another request`;
    return new DossierError('INPUT_REFUSED', message);
  }
  if (status === 407) {
    return new DossierError(
      'INPUT_REFUSED',
      `${name} was not asked for: the proxy wants a user and a password, or others ${told}`,
    );
  }
  if (status === 404 || status === 410) {
    return new DossierError('INPUT_UNREADABLE', `${name} is not there ${told}`);
  }
  if (passing.includes(status)) {
    const message = `${name} cannot be had just now ${told}`;
    return new PassingTrouble(new DossierError('INPUT_DOWN', message), waitOf(retryAfter));
  }
  return new DossierError('INPUT_UNREADABLE', `${name} was answered by no list ${told}`);
}

/** The error for a connection that was not made, or was lost. */
export function lostList(name: string, error: unknown): DossierError | PassingTrouble {
  if (error instanceof DossierError || error instanceof PassingTrouble) return error;
  const reason = isTimeout(error) ? 'nothing came in time' : describeFailure(error);
  const told = `${name} cannot be had: ${reason}`;
  const options = { cause: error };
  if (/certificate/.test(reason)) {
    const hint = 'NODE_EXTRA_CA_CERTS names a file with the certificates of your company';
    return new DossierError('INPUT_UNREADABLE', `${told}; ${hint}`, options);
  }
  return new PassingTrouble(new DossierError('INPUT_DOWN', told, options));
}

function isTimeout(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].includes(code);
}

/** Seconds, or a date; undefined where it is neither. */
function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs);
}
