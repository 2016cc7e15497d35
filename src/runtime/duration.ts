const unitMs = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
} as const;

type Unit = keyof typeof unitMs;

/** `30s`, `1h 30m`, `1.5d`: as a pattern, because editors check job files with it too. */
export const durationPattern = /^\d+(\.\d+)?(ms|[smhdw])( ?\d+(\.\d+)?(ms|[smhdw]))*$/;

/** Milliseconds of `500ms`, `30s`, `15m`, `2h`, `30d`, `1w` or a sum of them such as `1h 30m`. */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g)) {
    totalMs += Number(amount) * unitMs[unit as Unit];
  }
  return Number.isSafeInteger(Math.round(totalMs)) ? Math.round(totalMs) : undefined;
}

/** What is shown together: two units at most: the seconds of a day help no plan. */
const shownUnits: readonly { unit: Unit; smaller: Unit }[] = [
  { unit: 'd', smaller: 'h' },
  { unit: 'h', smaller: 'm' },
  { unit: 'm', smaller: 's' },
  { unit: 's', smaller: 's' },
];

/** For people: `450ms`, `12s`, `1h 12m`, `3d 4h`. What it prints, `parseDuration` reads. */
export function formatDuration(durationMs: number): string {
  if (durationMs === Number.POSITIVE_INFINITY) return 'forever';
  const shown = shownUnits.find(({ unit }) => durationMs >= unitMs[unit]);
  if (!shown) {
    const wholeMs = Math.max(0, Math.round(durationMs));
    return wholeMs === unitMs.s ? '1s' : `${wholeMs}ms`;
  }
  const { unit, smaller } = shown;
  const roundedMs = Math.round(durationMs / unitMs[smaller]) * unitMs[smaller];
  // 59.7s rounds to 60s, which is better said as 1m: choose the units again.
  if (roundedMs !== durationMs) return formatDuration(roundedMs);
  const large = Math.floor(durationMs / unitMs[unit]);
  const small = (durationMs % unitMs[unit]) / unitMs[smaller];
  return small === 0 ? `${large}${unit}` : `${large}${unit} ${small}${smaller}`;
}
