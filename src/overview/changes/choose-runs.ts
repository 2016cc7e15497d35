import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../ledger/runs/runs.ts';
import { nameRuns, refusePruned } from '../../queue/published/choose-run.ts';
import { findBase, isBasePruned } from '../../records/compare-runs.ts';
import { formatDuration } from '../../runtime/duration.ts';

export interface WantedRuns {
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** How far back the run to compare with has ended. */
  readonly sinceMs: number | undefined;
}

export interface ChosenRuns {
  /** Undefined where there is no run to compare with. */
  readonly base: Run | undefined;
  readonly run: Run;
  /** What the user should know of the choice. */
  readonly note?: string;
}

export function openToCompare({ name, ledger: path }: Pick<ResolvedJob, 'name' | 'ledger'>) {
  const ledger = openLedgerToRead(path);
  if (ledger) return ledger;
  throw new DossierError('RUN_MISSING', `${name} has not run: there is no ${path}`);
}

/** The two runs to compare: those that are named, or the newest result of the job and the one before. */
export function chooseRuns(
  ledger: Pick<Ledger, 'runs'>,
  job: string,
  { from, to, sinceMs }: WantedRuns,
  nowMs: number,
): ChosenRuns {
  const published = ledger.runs
    .list(job)
    .filter((run) => isPublished(run) && run.prunedAt === null);
  const run = to === undefined ? published[0] : finishedRun(ledger, job, to);
  if (!run) throw new DossierError('RUN_MISSING', `no run of ${job} is complete yet`);
  const nothing: ChosenRuns = { base: undefined, run, note: nothingBefore(ledger, run) };
  if (sinceMs !== undefined) return runsSince(ledger, run, sinceMs, nowMs) ?? nothing;
  const base = from === undefined ? findBase(ledger, run) : finishedRun(ledger, job, from);
  if (base && base.id >= run.id) {
    const [earlier, later] = [runName(run), runName(base)];
    const hint = base.id === run.id ? 'give two runs' : `--from ${earlier} --to ${later}`;
    throw new DossierError('USAGE', `${later} is not before ${earlier}; ${hint}`);
  }
  return base ? { base, run } : nothing;
}

/** Undefined where no run is before this one. */
function runsSince(
  { runs }: Pick<Ledger, 'runs'>,
  run: Run,
  sinceMs: number,
  nowMs: number,
): ChosenRuns | undefined {
  const earlier = runs.comparable(run).filter(({ prunedAt }) => prunedAt === null);
  const base = earlier.find(({ finishedAt }) => (finishedAt ?? nowMs) <= nowMs - sinceMs);
  const oldest = earlier.at(-1);
  if (base || !oldest) return base && { base, run };
  const note = `No complete run is ${formatDuration(sinceMs)} old; the oldest is ${runName(oldest)}.`;
  return { base: oldest, run, note };
}

function nothingBefore(ledger: Pick<Ledger, 'runs'>, run: Run): string {
  const [name, { job }] = [runName(run), run];
  return isBasePruned(ledger, run)
    ? `The runs of ${job} before ${name} are pruned: there is nothing to compare it with.`
    : `${name} is the first complete run of ${job}: there is nothing to compare it with.`;
}

/** What an unfinished run lacks is not gone, so it cannot be compared. */
function finishedRun({ runs }: Pick<Ledger, 'runs'>, job: string, id: number): Run {
  const run = runs.get(id);
  const name = runName({ id });
  if (run?.job !== job || run.state === 'ingesting') {
    throw new DossierError('RUN_MISSING', `${job} has no run ${name}: ${nameRuns(runs.list(job))}`);
  }
  if (run.state !== 'finished') {
    throw new DossierError('RUN_MISSING', `${name} is not complete, and cannot be compared`);
  }
  refusePruned(run);
  if (run.rowLimit !== null) {
    throw new DossierError(
      'RUN_MISSING',
      `${name} was a try of the first rows, and is not compared`,
    );
  }
  return run;
}
