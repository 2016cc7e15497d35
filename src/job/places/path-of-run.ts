import { join } from 'node:path';

/** What of a run stands in the paths of its results. */
export interface PlacedRun {
  /** Such as `r7`. */
  readonly id: string;
  readonly job: string;
  /** Of its last start: a run that is taken up a week later is the result of that day. */
  readonly startedAt: Date;
  readonly isTry: boolean;
}

/**
 * Where the files of one run go: `out/{date}/{run} → out/2026-08-22/r7`, the date in UTC. A try of the first
 * rows has a folder inside it, so that it never replaces the whole result.
 */
export function pathOfRun(path: string, { id, job, startedAt, isTry }: PlacedRun): string {
  const filled = { date: startedAt.toISOString().slice(0, 10), run: id, job };
  const whole = path.replace(/\{(date|run|job)\}/g, (_, name: keyof typeof filled) => filled[name]);
  return isTry ? join(whole, 'try') : whole;
}
