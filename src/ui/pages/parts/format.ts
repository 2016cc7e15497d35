const percents = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** Shows 100% only for all and 0% only for none. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = part / whole;
  if (part < whole && share > 0.999) return '> 99.9%';
  if (part > 0 && share < 0.001) return '< 0.1%';
  return percents.format(share);
}

/** `2026-08-22 14:12` in the viewer's time zone. */
export function localTime(iso: string): string {
  // The Swedish locale writes dates as in ISO 8601.
  return new Date(iso).toLocaleString('sv').slice(0, 16);
}
