/** A run, as far as it matters to what is kept. */
export interface PastRun {
  readonly id: number;
  readonly state: string;
  readonly rowLimit: number | null;
  readonly startedAt: number;
  /** Its files were put aside and not published. */
  readonly isHeld: boolean;
}

export interface KeepTerms {
  /** The newest so many runs of a job stay. */
  readonly keepRuns: number;
  /** Runs that began earlier go, even if they are among them. */
  readonly since?: number | undefined;
}

/**
 * Which runs of a job stay, of all that have not been pruned, newest first. The newest one may be resumed, the
 * last finished one spares the next its work, and against the last published one changes are told: they stay
 * in any case.
 */
export function runsToKeep(
  runs: readonly PastRun[],
  { keepRuns, since = 0 }: KeepTerms,
): ReadonlySet<number> {
  const kept = runs.slice(0, keepRuns).filter(({ startedAt }) => startedAt >= since);
  const finished = runs.filter(({ state, rowLimit }) => state === 'finished' && rowLimit === null);
  const published = finished.find(({ isHeld }) => !isHeld);
  const needed = [runs[0], finished[0], published].filter((run) => run !== undefined);
  return new Set([...kept, ...needed].map(({ id }) => id));
}
