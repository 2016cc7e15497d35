import type { HttpHeaders } from '../wire/exchange.ts';

/** What a service tells of its limits, in requests and seconds. */
export interface RateLimits {
  /** So many requests in any window of so many seconds. */
  readonly policies: readonly { readonly quota: number; readonly windowS: number }[];
  /** What is left of the quota that is nearest to its end, and when it is whole again. */
  readonly left?: { readonly remaining: number; readonly resetS: number };
}

interface Item {
  /** `"burst"`, `100` or `limit`, without its quotes. */
  readonly name: string;
  readonly value: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A reset of more seconds than this is a time since 1970, and above the next a time in milliseconds. */
const epochFromS = 1e9;
const epochFromMs = 1e12;

/**
 * Reads `RateLimit` and `RateLimit-Policy` as the drafts of the IETF spell them, and the headers in
 * threes that came before, `RateLimit-Limit` and `X-RateLimit-Limit`. A header that is not well formed is left
 * out as a whole: half of what it says may be the wrong half.
 */
export function readRateLimits(headers: HttpHeaders, wallMs: number): RateLimits | undefined {
  const limit = headers.ratelimit;
  const policy = headers['ratelimit-policy'];
  const old = headers['ratelimit-remaining'] ?? headers['ratelimit-limit'];
  const older = headers['x-ratelimit-remaining'];
  // Most services send none of these, and every answer passes here.
  if (limit === undefined && policy === undefined && old === undefined && older === undefined) {
    return undefined;
  }
  const policies = readPolicies([...itemsOf(policy), ...itemsOf(headers['ratelimit-limit'])]);
  const left = [
    ...readItems(itemsOf(limit), policies),
    ...readThree(headers, 'ratelimit', wallMs),
    ...readThree(headers, 'x-ratelimit', wallMs),
  ].sort((one, other) => one.remaining / one.resetS - other.remaining / other.resetS)[0];
  if (policies.size === 0 && left === undefined) return undefined;
  return { policies: [...policies.values()], ...(left && { left }) };
}

type Policy = RateLimits['policies'][number];
type Left = NonNullable<RateLimits['left']>;

/** `"burst";q=100;w=60`, or as older drafts have it `100;w=60`. */
function readPolicies(items: readonly Item[]): Map<string, Policy> {
  const policies = new Map<string, Policy>();
  for (const { name, parameters } of items) {
    // A quota may also be one of bytes.
    if ((parameters.get('qu') ?? 'requests') !== 'requests') continue;
    const quota = amount(parameters.get('q') ?? name);
    const windowS = amount(parameters.get('w'));
    if (quota && windowS) policies.set(name, { quota, windowS });
  }
  return policies;
}

/** `"burst";r=50;t=30`, or as older drafts have it `limit=100, remaining=50, reset=5`. */
function readItems(items: readonly Item[], policies: ReadonlyMap<string, Policy>): Left[] {
  const named = (name: string) => amount(items.find((item) => item.name === name)?.value);
  return [
    ...items.map(({ name, parameters }) =>
      leftOf(
        amount(parameters.get('r')),
        amount(parameters.get('t')) ?? policies.get(name)?.windowS,
      ),
    ),
    leftOf(named('remaining'), named('reset')),
  ].filter((left) => left !== undefined);
}

function readThree(headers: HttpHeaders, prefix: string, wallMs: number): Left[] {
  const remaining = amount(textOf(headers[`${prefix}-remaining`]));
  const reset = amount(textOf(headers[`${prefix}-reset`]));
  const left = leftOf(
    remaining,
    reset === undefined ? undefined : secondsUntil(reset, headers, wallMs),
  );
  return left ? [left] : [];
}

function leftOf(remaining: number | undefined, resetS: number | undefined): Left | undefined {
  if (remaining === undefined || resetS === undefined || resetS <= 0) return undefined;
  return { remaining, resetS };
}

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

/** Splits `"a;b";q=10;w=1, 5;w=60` into its items. A comma or semicolon in quotes separates nothing. */
function itemsOf(header: string | string[] | undefined): Item[] {
  const text = textOf(header);
  if (text === undefined || text.length > longestHeader || !wellFormed.test(text)) return [];
  const items = split(text, ',').map((member) => {
    const [head = '', ...rest] = split(member, ';');
    const { name, value } = pairOf(head);
    const parameters = rest.map(pairOf).map(({ name, value = '' }) => [name, value] as const);
    return { name, value, parameters: new Map(parameters) };
  });
  return items.every(hasGoodAmounts) ? items : [];
}

/**
 * A list of items with parameters (RFC 9651): `"a";q=10;w=1`, `100;w=60`, `limit=100`. No text matches in two
 * ways, so that a long one that matches in none takes no longer.
 */
const token = String.raw`[^\s",;=:][^\s",;=]*`;
const bare = `(?:"[^"]*"|:[A-Za-z0-9+/=]*:|${token})`;
const head = `(?:"[^"]*"|:[A-Za-z0-9+/=]*:|${token}(?:=${bare})?)`;
const parameter = String.raw`[ \t]*;[ \t]*[\w*.-]+(?:=${bare})?`;
const member = `${head}(?:${parameter})*`;
const wellFormed = new RegExp(String.raw`^[ \t]*${member}(?:[ \t]*,[ \t]*${member})*[ \t]*$`);

const amounts = ['q', 'w', 'r', 't'];
const namedAmounts = ['limit', 'remaining', 'reset'];

function hasGoodAmounts({ name, value, parameters }: Item): boolean {
  const isNamed = namedAmounts.includes(name) && value !== undefined;
  return (
    (!isNamed || amount(value) !== undefined) &&
    amounts.every((key) => !parameters.has(key) || amount(parameters.get(key)) !== undefined)
  );
}

/** No service needs as much; a header may have any length. */
const longestHeader = 2_000;

function split(text: string, separator: ',' | ';'): string[] {
  const part = separator === ',' ? /(?:"[^"]*"|[^",])+/g : /(?:"[^"]*"|[^";])+/g;
  return (text.match(part) ?? []).map((found) => found.trim());
}

/** `w=60 → w, 60`; a quoted name loses its quotes. */
function pairOf(text: string): { name: string; value: string | undefined } {
  const at = text.startsWith('"') ? -1 : text.indexOf('=');
  if (at === -1) return { name: unquoted(text), value: undefined };
  return {
    name: text.slice(0, at).trim().toLowerCase(),
    value: unquoted(text.slice(at + 1).trim()),
  };
}

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}

function amount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(\.\d{1,9})?$/.test(text.trim())
    ? Number(text)
    : undefined;
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * How long the service asks us to stay away, from `Retry-After: 120` or an HTTP date. Undefined
 * where it names no wait: absent, zero, negative, past or not readable.
 */
export function readRetryAfter(headers: HttpHeaders, wallMs: number): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim();
  if (text === undefined) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : msUntil(text, headers, wallMs);
  return waitMs > 0 ? waitMs : undefined;
}

function msUntil(date: string, headers: HttpHeaders, wallMs: number): number {
  // Date.parse takes almost anything ("-5" is a year); an HTTP date begins with its weekday.
  if (!/^[A-Z][a-z]{2,8},? /.test(date)) return Number.NaN;
  return Date.parse(date) - nowOf(headers, wallMs);
}
