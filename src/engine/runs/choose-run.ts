import { DossierError } from '../../core/errors.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { preferWhole, type Run, runName } from '../ledger/runs/runs.ts';

interface Chosen {
  readonly name: string;
  readonly list: string;
  readonly ledger: string;
}

export function chooseRun(
  ledger: Ledger,
  job: Chosen,
  { runId, accept }: { readonly runId: number | undefined; readonly accept?: boolean },
): Run {
  const named = runId === undefined ? undefined : namedRun(ledger, job, runId);
  if (accept) return requireWaiting(ledger, job, named);
  if (named) return named;
  const runs = ledger.runs.stored(job.name);
  const newest =
    runs.find(({ kind, held }) => kind !== 'trial' && held === null) ?? preferWhole(runs);
  if (newest) return newest;
  // Two lists may share a file name, so the message names the path too.
  const message = `${job.ledger} has no run of ${job.name} (${job.list}) yet`;
  throw new DossierError('RUN_MISSING', message);
}

function requireWaiting(ledger: Ledger, job: Chosen, named: Run | undefined): Run {
  const waiting = ledger.runs.newestHeld(job.name);
  const run = named ?? waiting;
  if (run && run.id === waiting?.id) return run;
  const later = waiting ? `${runName(waiting)}, which is also held` : 'a published run';
  let why = `was replaced by ${later}`;
  if (run?.state !== 'finished') why = 'has not finished; run the job again to continue';
  else if (!run.held) why = 'is not held';
  const message = run
    ? `${runName(run)} of ${job.name} ${why}`
    : `${job.name} has no held result to accept`;
  throw new DossierError('RUN_MISSING', message);
}

function namedRun(ledger: Ledger, job: Chosen, runId: number): Run {
  const run = ledger.runs.get(runId);
  const name = runName({ id: runId });
  if (run?.job === job.name && run.state !== 'ingesting') {
    refusePruned(run);
    return run;
  }
  const owner = run?.kind === 'lookup' ? 'a lookup' : `of ${run?.job}`;
  const whose = run && run.job !== job.name ? `; ${name} is ${owner}` : '';
  const others = nameRuns(ledger.runs.list(job.name));
  throw new DossierError('RUN_MISSING', `${job.name} has no run ${name}: ${others}${whose}`);
}

const shown = 5;

export function nameRuns(runs: readonly Run[]): string {
  const names = runs.filter(({ state }) => state !== 'ingesting').map(runName);
  if (names.length === 0) return 'it has none yet';
  if (names.length === 1) return `its only run is ${names[0]}`;
  const older = names.length > shown ? ` and ${names.length - shown} older` : '';
  return `its runs are ${names.slice(0, shown).join(', ')}${older}`;
}

export function refusePruned(run: Run): void {
  if (run.prunedAt === null) return;
  const day = new Date(run.prunedAt).toISOString().slice(0, 10);
  throw new DossierError('RUN_MISSING', `${runName(run)} of ${run.job} was pruned on ${day}`);
}

/** A reader holds no lock, so another run may prune meanwhile. */
export function refusePrunedSince({ runs }: Ledger, read: readonly Run[]): void {
  for (const { id } of read) {
    const run = runs.get(id);
    if (run) refusePruned(run);
  }
}

export async function readUnlessPruned<Result>(
  ledger: Ledger,
  runs: readonly Run[],
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    refusePrunedSince(ledger, runs);
    throw error;
  }
}
