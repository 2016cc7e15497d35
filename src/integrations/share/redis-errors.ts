import { DossierError, messageOf } from '../../core/errors.ts';
import {
  describeFailure,
  isWorthRetrying,
  outsideFailure,
} from '../../platform/outside-failures.ts';

export function isTemporary(error: unknown): boolean {
  return isWorthRetrying('redis', error);
}

/** Not anchored, because in Redis 6 the text is in the middle of a sentence. */
export function isFull(error: unknown): boolean {
  return /\bOOM command not allowed/.test(messageOf(error));
}

export function isRefused(error: unknown): boolean {
  return outsideFailure('redis', '', error)?.code === 'SHARE_REFUSED';
}

export function describeRedis({ hostname, port }: URL): string {
  return `Redis at ${hostname}:${port === '' ? '6379' : port}`;
}

export function connectionLostError(address: URL, error: unknown): DossierError {
  const text = `${describeRedis(address)} was reached, but is no longer responding`;
  return redisError(address, error, text);
}

function redisError(address: URL, error: unknown, text: string) {
  // A protected Redis replies with a page of advice; keep the first sentence.
  const [message] = messageOf(error).split(/[.,] | script: /);
  const reply = outsideFailure('redis', describeRedis(address), error, { message });
  return reply ?? new DossierError('SHARE_DOWN', text, { cause: error });
}

export function connectError(address: URL, error: unknown): DossierError {
  const message = messageOf(error);
  const reason = /ssl|EPROTO/i.test(message) ? 'it does not use TLS' : describeFailure(error);
  const other = address.protocol === 'rediss:' ? 'redis://, without TLS' : 'rediss://, for TLS';
  const isMute = /closed|time|ssl|EPROTO|ECONNRESET/i.test(message);
  const hint = isMute ? `; should the URL begin with ${other}?` : '';
  const text = `${describeRedis(address)} cannot be reached: ${reason}${hint}`;
  return redisError(address, error, text);
}
