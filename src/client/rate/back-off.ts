const firstCeilingMs = 500;
const lastCeilingMs = 30_000;

/**
 * How long to wait after a failed attempt (the first is 1). Full jitter: anything from nothing to
 * a ceiling that doubles, so calls that failed together do not come back together.
 */
export function backOffMs(attempt: number, random: () => number = Math.random): number {
  const ceilingMs = Math.min(lastCeilingMs, firstCeilingMs * 2 ** (attempt - 1));
  return Math.round(random() * ceilingMs);
}
