import type { HttpHeaders } from '../wire/exchange.ts';

/** What a service tells of its limits, in requests and seconds. */
export interface RateLimits {
  /** So many requests in any window of so many seconds. */
  readonly policies: readonly { readonly quota: number; readonly windowS: number }[];
  /** What is left of the quota that is nearest to its end, and when it is whole again. */
  readonly left?: { readonly remaining: number; readonly resetS: number };
}

/**
 * Reads `RateLimit` and `RateLimit-Policy` as the drafts of the IETF spell them, and the headers in
 * threes that came before, `RateLimit-Limit` and `X-RateLimit-Limit`. What is not a sound number is left out.
 */
export function readRateLimits(headers: HttpHeaders, wallMs: number): RateLimits | undefined {
  const { ratelimit, 'ratelimit-policy': policy, 'ratelimit-limit': limit } = headers;
  // Most services send none of these, and every answer passes here.
  if (!(ratelimit || policy || limit || headers['x-ratelimit-remaining'])) return undefined;

  const policies = new Map<string, RateLimits['policies'][number]>();
  // `"burst";q=100;w=60`, or as older drafts have it `100;w=60`.
  for (const item of [...itemsOf(policy), ...itemsOf(limit)]) {
    const name = item.get('') ?? '';
    const quota = amount(item.get('q') ?? name);
    const windowS = amount(item.get('w'));
    // A quota may also be one of bytes.
    const isOfRequests = (item.get('qu') ?? 'requests') === 'requests';
    if (isOfRequests && quota && windowS) policies.set(name, { quota, windowS });
  }

  const lefts: NonNullable<RateLimits['left']>[] = [];
  const note = (remaining: number | undefined, resetS = 0) => {
    if (remaining !== undefined && resetS > 0) lefts.push({ remaining, resetS });
  };
  // `"burst";r=50;t=30`, or as older drafts have it `limit=100, remaining=50, reset=5`.
  const items = itemsOf(ratelimit);
  for (const item of items) {
    const windowS = policies.get(item.get('') ?? '')?.windowS;
    note(amount(item.get('r')), amount(item.get('t')) ?? windowS);
  }
  const named = new Map(items.flatMap((item) => [...item]));
  note(amount(named.get('remaining')), amount(named.get('reset')));
  for (const prefix of ['ratelimit', 'x-ratelimit']) {
    const reset = amount(headers[`${prefix}-reset`]);
    note(amount(headers[`${prefix}-remaining`]), reset && secondsUntil(reset, headers, wallMs));
  }
  const [left] = lefts.sort((a, b) => a.remaining / a.resetS - b.remaining / b.resetS);
  if (policies.size === 0 && !left) return undefined;
  return { policies: [...policies.values()], ...(left && { left }) };
}

/** A reset of more seconds than this is a time since 1970, and above the next a time in milliseconds. */
const epochFromS = 1e9;
const epochFromMs = 1e12;

function secondsUntil(reset: number, headers: HttpHeaders, wallMs: number): number {
  if (reset < epochFromS) return reset;
  const atMs = reset < epochFromMs ? reset * 1_000 : reset;
  return (atMs - nowOf(headers, wallMs)) / 1_000;
}

/** The service's own clock where it sends it: ours may be minutes off. */
function nowOf({ date }: HttpHeaders, wallMs: number): number {
  const serviceNow = Date.parse([date].flat()[0] ?? '');
  return Number.isNaN(serviceNow) ? wallMs : serviceNow;
}

/** The items of a list, each with its parameters by name. The item itself is without a name: `"a";q=1 → '': a, q: 1`. */
function itemsOf(header: string | string[] = '') {
  // A name in quotes may hold commas and semicolons.
  const items =
    [header]
      .flat()
      .join(',')
      .match(/(?:"[^"]*"|[^",])+/g) ?? [];
  return items.map((item) => {
    const parts = item.matchAll(/(?:^|;)\s*(?:([\w*.-]+)=)?("[^"]*"|[^;"\s]*)/g);
    return new Map(
      Array.from(parts, ([, name = '', value = '']) => [name, value.replaceAll('"', '')]),
    );
  });
}

function amount(text: string | string[] = ''): number | undefined {
  const [first = ''] = [text].flat();
  return /^\d{1,15}(\.\d{1,9})?$/.test(first.trim()) ? Number(first) : undefined;
}

/**
 * How long the service asks us to stay away, from `Retry-After: 120` or an HTTP date. Undefined
 * where it names no wait: absent, zero, negative, past or not readable.
 */
export function readRetryAfter(headers: HttpHeaders, wallMs: number): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  // Date.parse takes almost anything ("-5" is a year); an HTTP date begins with its weekday.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  const isSeconds = /^\d+(\.\d+)?$/.test(text);
  const waitMs = isSeconds ? Number(text) * 1_000 : date - nowOf(headers, wallMs);
  return waitMs > 0 ? waitMs : undefined;
}
