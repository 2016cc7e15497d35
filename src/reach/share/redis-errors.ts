import { DossierError } from '../../core/errors.ts';
import {
  describeFailure,
  isWorthRetrying,
  outsideFailure,
} from '../../core/runtime/outside-failures.ts';

/** Whether Redis takes nothing at present, and may later: its memory is full, it is loading, or a replica. */
export function isUnwilling(error: unknown): boolean {
  return isWorthRetrying('redis', error);
}

/** Whether its memory is full. A script of Redis 6 says so in the middle of a sentence. */
export function isFull(error: unknown): boolean {
  return /\bOOM command not allowed/.test(messageOf(error));
}

/** Whether the user or password is wrong, or has too few rights. */
export function isRefused(error: unknown): boolean {
  return outsideFailure('redis', '', error)?.code === 'SHARE_REFUSED';
}

/** The sentence for a Redis that refuses the user, or what sharing needs; undefined for other failures. */
export function asRefusal(address: URL, error: unknown): DossierError | undefined {
  return isRefused(error) ? asReply(address, error) : undefined;
}

/** Where a Redis is, without what may be secret. */
export function placeOf({ hostname, port }: URL): string {
  return `Redis at ${hostname}:${port === '' ? '6379' : port}`;
}

/** The sentence for a Redis that cannot be used. */
export function asTrouble(address: URL, error: unknown): DossierError {
  return asReply(address, error) ?? asUnreachable(address, error);
}

/** The sentence for a Redis that was reached before: nothing is wrong with its address. */
export function asLoss(address: URL, error: unknown): DossierError {
  const text = `${placeOf(address)} was reached, and does not answer any more`;
  return asReply(address, error) ?? new DossierError('SHARE_DOWN', text, { cause: error });
}

/** Undefined where Redis has said nothing. */
function asReply(address: URL, error: unknown): DossierError | undefined {
  // The reply of a protected Redis is a page of advice.
  const [said] = messageOf(error).split(/[.,] | script: /);
  return outsideFailure('redis', placeOf(address), error, { said });
}

function asUnreachable(address: URL, error: unknown): DossierError {
  const message = messageOf(error);
  const reason = /ssl|EPROTO/i.test(message) ? 'it speaks no TLS' : describeFailure(error);
  const other = address.protocol === 'rediss:' ? 'redis://, without TLS' : 'rediss://, for TLS';
  const isMute = /closed|time|ssl|EPROTO|ECONNRESET/i.test(message);
  const hint = isMute ? `; is the address to begin with ${other}?` : '';
  const text = `${placeOf(address)} cannot be reached: ${reason}${hint}`;
  return new DossierError('SHARE_DOWN', text, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
