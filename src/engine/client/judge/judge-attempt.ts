import type { Call } from '../../../core/contract/call.ts';
import { shorten } from '../../../core/values/format.ts';
import {
  createRedactor,
  createSecretSearch,
  leastGuardedLength,
  type Redact,
} from '../../../core/values/redact.ts';
import type { HttpResponse, Provider, Verdict } from '../../providers/provider.ts';

export interface Sent {
  readonly response: HttpResponse;
  readonly failure?: Verdict | undefined;
}

export function judgeAttempt(
  provider: Provider,
  call: Call,
  { response, failure }: Sent,
  redact: Redact,
  hasEverFound: boolean,
): Verdict {
  const verdict = failure ?? provider.judge(call, response, hasEverFound);
  if ('message' in verdict) return { ...verdict, message: tidyText(verdict.message, redact) };
  if ('reason' in verdict) return { ...verdict, reason: tidyText(verdict.reason, redact) };
  return verdict;
}

const maxLength = 300;

export function tidyText(text: string, redact: Redact): string {
  // Redact first, because a key cut by the steps below would not be recognized.
  const start = redact(text).slice(0, 100 * maxLength);
  return shorten(start.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), maxLength);
}

/** Removes a key that the service echoes, because bodies go to the ledger and to files. */
export function guardKey(key: string): (body: Buffer) => Buffer {
  if (key.length < leastGuardedLength) return (body) => body;
  const mayBeIn = createSecretSearch(key);
  // A redaction text in place of a number would break the JSON, so write 0.
  const number = /^\d+$/.test(key)
    ? new RegExp(`-?[\\d.]{0,40}${key}[\\d.]{0,40}`, 'g')
    : undefined;
  const redact = createRedactor([key]);
  return (body) => {
    if (!mayBeIn(body)) return body;
    const text = body.toString('utf8');
    const clean = redact(number ? text.replace(number, '0') : text);
    return clean === text ? body : Buffer.from(clean);
  };
}
