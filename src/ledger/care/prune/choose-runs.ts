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
 * in any case. The base of a run that stays is needed to write its changes again, so it stays, too, unless it
 * began too early.
 */
export function runsToKeep(
  runs: readonly PastRun[],
  { keepRuns, since = 0 }: KeepTerms,
): ReadonlySet<number> {
  const isYoung = ({ startedAt }: PastRun) => startedAt >= since;
  const recent = runs.slice(0, keepRuns).filter(isYoung);
  const finished = runs.filter(({ state, rowLimit }) => state === 'finished' && rowLimit === null);
  const published = finished.filter(({ isHeld }) => !isHeld);
  const needed = [runs[0], finished[0], published[0]].filter((run) => run !== undefined);
  const kept = [...recent, ...needed];
  const bases = kept.flatMap((run) => published.find(({ id }) => id < run.id) ?? []);
  return new Set([...kept, ...bases.filter(isYoung)].map(({ id }) => id));
}
