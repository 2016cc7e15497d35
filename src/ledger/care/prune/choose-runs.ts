import { comparableWith, type ListedRun } from '../../runs/comparable-runs.ts';

/** A run, as far as it matters to what is kept. */
export interface PastRun extends ListedRun {
  /** The list that the job is for. */
  readonly list: string;
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
 * last finished one may be held, and against the last published one changes are told, be it of any list or of
 * the job's own: they stay in any case. The base of a run that stays is needed to write its changes again, so it
 * stays, too, unless it began too early.
 */
export function runsToKeep(
  runs: readonly PastRun[],
  { keepRuns, since = 0 }: KeepTerms,
): ReadonlySet<number> {
  const isYoung = ({ startedAt }: PastRun) => startedAt >= since;
  const recent = runs.slice(0, keepRuns).filter(isYoung);
  const finished = runs.filter(({ state, rowLimit }) => state === 'finished' && rowLimit === null);
  const published = finished.filter(({ isHeld }) => !isHeld);
  const ofOwnList = published.find(({ inputPath }) => inputPath === runs[0]?.list);
  const needed = [runs[0], finished[0], published[0], ofOwnList].filter((run) => run !== undefined);
  const kept = [...recent, ...needed];
  const bases = kept.flatMap((run) => comparableWith(run, published)[0] ?? []);
  return new Set([...kept, ...bases.filter(isYoung)].map(({ id }) => id));
}
