import { DossierError } from '../core/errors.ts';
import { formatDuration } from '../core/values/duration.ts';
import { type Ledger, openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { nameRuns, refusePruned } from '../engine/runs/choose-run.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { findBase, isBasePruned } from '../results/compare-runs.ts';

const missing = (message: string) => new DossierError('RUN_MISSING', message);

export function openToCompare({ name, ledger: path }: ResolvedJob): Ledger {
  const ledger = openLedgerToRead(path);
  if (ledger) return ledger;
  throw missing(`${name} has not run yet: there is no ${path}`);
}

/** Without `from` and `to`, compares the newest result with the one before. */
export function chooseRuns(
  ledger: Ledger,
  job: string,
  wanted: {
    readonly from: number | undefined;
    readonly to: number | undefined;
    /** Minimum age of the run to compare with. */
    readonly sinceMs?: number | undefined;
  },
  nowMs: number,
) {
  const { from, to, sinceMs } = wanted;
  const published = ledger.runs.newestPublished(job);
  const run = to === undefined ? published : finishedRun(ledger, job, to);
  if (!run) throw missing(`${job} has no complete run yet`);
  const name = runName(run);
  const earlier = ledger.runs.comparable(run).filter(({ prunedAt }) => prunedAt === null);
  if (sinceMs !== undefined && earlier.length > 0) {
    const base = earlier.find(({ finishedAt }) => (finishedAt ?? nowMs) <= nowMs - sinceMs);
    if (base) return { base, run, notes: [] };
    const [oldest] = earlier.slice(-1);
    const note = `No complete run is at least ${formatDuration(sinceMs)} old; comparing with the oldest run, ${oldest && runName(oldest)}.`;
    return { base: oldest, run, notes: [note] };
  }
  const base = from === undefined ? findBase(ledger, run) : finishedRun(ledger, job, from);
  if (!base) {
    const why = isBasePruned(ledger, run)
      ? `The runs of ${job} before ${name} were pruned`
      : `${name} is the first complete run of ${job}`;
    return { base, run, notes: [`${why}, so there is no earlier run to compare with.`] };
  }
  if (base.id >= run.id) {
    const hint =
      base.id === run.id ? 'give two different runs' : `use --from ${name} --to ${runName(base)}`;
    throw new DossierError('USAGE', `${runName(base)} is not before ${name}; ${hint}`);
  }
  return { base, run, notes: [] };
}

/** Throws for an unfinished run, because the rows it lacks would look removed. */
function finishedRun({ runs }: Ledger, job: string, id: number): Run {
  const run = runs.get(id);
  const name = runName({ id });
  if (run?.job !== job || run.state === 'ingesting') {
    throw missing(`${job} has no run ${name}: ${nameRuns(runs.list(job))}`);
  }
  if (run.state !== 'finished') throw missing(`${name} is not complete, so it cannot be compared`);
  refusePruned(run);
  if (run.kind !== 'trial') return run;
  throw missing(`${name} has only the first rows (--limit), so it cannot be compared`);
}
