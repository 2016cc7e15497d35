export const dayMs = 86_400_000;

const unitMs = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: dayMs,
  w: 604_800_000,
  y: 31_536_000_000,
} as const;

/** Also used in the JSON Schema of job files. */
export const durationPattern = /^\d+(\.\d+)?(ms|[smhdwy])( ?\d+(\.\d+)?(ms|[smhdwy]))*$/;

/** `1h 30m → 5_400_000` */
export function parseDuration(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)([a-z]+)/g)) {
    totalMs += Number(amount) * unitMs[unit as keyof typeof unitMs];
  }
  return Number.isSafeInteger(Math.round(totalMs)) ? Math.round(totalMs) : undefined;
}

/** `450ms`, `1h 12m`, `3d 4h` */
export function formatDuration(durationMs: number): string {
  if (durationMs === Number.POSITIVE_INFINITY) return 'forever';
  const wholeMs = Math.max(0, Math.round(durationMs));
  if (wholeMs < unitMs.s) return `${wholeMs}ms`;
  const smallest = wholeMs < unitMs.h ? unitMs.s : wholeMs < unitMs.d ? unitMs.m : unitMs.h;
  let leftMs = Math.round(wholeMs / smallest) * smallest;
  const parts = (['d', 'h', 'm', 's'] as const).map((unit) => {
    const count = Math.floor(leftMs / unitMs[unit]);
    leftMs -= count * unitMs[unit];
    return count > 0 ? `${count}${unit}` : '';
  });
  return parts.filter(Boolean).join(' ');
}
