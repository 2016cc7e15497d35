import type { HttpHeaders } from '../wire/exchange.ts';

/**
 * How long the service asks us to stay away, from `Retry-After: 120` or an HTTP date. Undefined
 * where it names no wait: absent, zero, negative, past or not readable.
 */
export function readRetryAfter(headers: HttpHeaders, wallMs: number): number | undefined {
  const text = first(headers['retry-after'])?.trim();
  if (text === undefined) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : msUntil(text, headers, wallMs);
  return waitMs > 0 ? waitMs : undefined;
}

function msUntil(date: string, headers: HttpHeaders, wallMs: number): number {
  // Date.parse takes almost anything ("-5" is a year); an HTTP date begins with its weekday.
  if (!/^[A-Z][a-z]{2,8},? /.test(date)) return Number.NaN;
  // Against the service's own clock where it sends it: ours may be minutes off.
  const serviceNow = Date.parse(first(headers.date) ?? '');
  return Date.parse(date) - (Number.isNaN(serviceNow) ? wallMs : serviceNow);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
