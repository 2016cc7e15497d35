import type { HttpHeaders } from '../../providers/provider.ts';

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
