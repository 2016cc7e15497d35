import type { HttpHeaders } from '../../providers/provider.ts';

export interface RateLimits {
  readonly policies: readonly { readonly quota: number; readonly windowS: number }[];
  readonly left?: { readonly remaining: number; readonly resetS: number };
}

/** IETF draft: `RateLimit: "burst";r=50;t=30` and `RateLimit-Policy: "burst";q=100;w=60`. */
export function readRateLimits(headers: HttpHeaders): RateLimits | undefined {
  const { ratelimit, 'ratelimit-policy': policy } = headers;
  if (!ratelimit && !policy) return undefined;
  const policies = new Map<string | undefined, RateLimits['policies'][number]>();
  for (const item of itemsOf(policy)) {
    const quota = amount(item.get('q'));
    const windowS = amount(item.get('w'));
    const isOfRequests = (item.get('qu') ?? 'requests') === 'requests';
    if (isOfRequests && quota && windowS) policies.set(item.get(''), { quota, windowS });
  }
  const [left] = itemsOf(ratelimit)
    .flatMap((item) => {
      const remaining = amount(item.get('r'));
      const resetS = amount(item.get('t')) ?? policies.get(item.get(''))?.windowS ?? 0;
      return remaining !== undefined && resetS > 0 ? [{ remaining, resetS }] : [];
    })
    .sort((a, b) => a.remaining / a.resetS - b.remaining / b.resetS);
  if (policies.size === 0 && !left) return undefined;
  return { policies: [...policies.values()], ...(left && { left }) };
}

/** Parses `"a";q=1` into a map: `'' → a`, `q → 1`. */
function itemsOf(header: string | string[] = '') {
  // A quoted name may contain commas.
  const items =
    [header]
      .flat()
      .join(',')
      .match(/(?:"[^"]*"|[^",])+/g) ?? [];
  return items.map((item) => {
    const parameters = item.matchAll(/(?:^|;)\s*(?:([\w*.-]+)=)?("[^"]*"|[^;"\s]*)/g);
    return new Map(
      Array.from(parameters, ([, name = '', value = '']) => [name, value.replaceAll('"', '')]),
    );
  });
}

function amount(text = '') {
  return /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

export function readRetryAfter(headers: HttpHeaders, wallMs: number): number | undefined {
  const text = [headers['retry-after']].flat()[0]?.trim() ?? '';
  // Date.parse would read "-5" as a year.
  const date = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  const isSeconds = /^\d+(\.\d+)?$/.test(text);
  // Use the service's clock, because ours may be minutes off.
  const serviceNow = Date.parse([headers.date].flat()[0] ?? '');
  const nowMs = Number.isNaN(serviceNow) ? wallMs : serviceNow;
  const waitMs = isSeconds ? Number(text) * 1_000 : date - nowMs;
  return waitMs > 0 ? waitMs : undefined;
}
