import { basename } from 'node:path';
import { DossierError } from '../errors.ts';
import { filePathsOf } from '../job/places/resolved-place.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { canLockJobs, glanceMs, tryLockJob } from '../ledger/file/locks.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../ledger/open-ledger.ts';
import { overtakerOf, type Run, runName } from '../ledger/runs/runs.ts';
import { chooseRun, newestWaiting } from '../queue/published/choose-run.ts';
import { isBasePruned } from '../records/changes/compare-runs.ts';
import { systemClock } from '../runtime/clock.ts';
import { holdMemory } from '../runtime/memory/hold-memory.ts';
import { addressOfRun, removeHeldResults } from './places/place-of-result.ts';
import { findNewer } from './places/replaced-result.ts';
import { requirePlaces } from './places/require-places.ts';
import { foldersIn } from './places/written-place.ts';
import { openThreadForRows } from './second-thread.ts';
import { type OpenReport, type RunExport, writeOutputs } from './write-outputs.ts';

export interface ExportRequest {
  /** Undefined: the newest that is not held. */
  readonly runId: number | undefined;
  /** Publishes the run that is held. */
  readonly accept?: boolean;
  /** The folders and addresses that a run of the job would write now; only there an export can get in its way. */
  readonly ownOutputs: readonly string[];
  readonly version: string;
  readonly openReport?: OpenReport;
  /** Hears, before a file is written, that those of an older run are about to replace the ones of this run. */
  readonly onReplace?: (replaced: string, folder: string) => void;
  readonly signal?: AbortSignal;
}

export interface JobExport {
  readonly run: Run;
  /** Whether the files were put aside because a complete result stands in their place. */
  readonly isAside: boolean;
  /** What the run was held for, where it has just been accepted. */
  readonly accepted: Run['held'];
  /** The later run that has overtaken this one, which is held. */
  readonly overtakenBy: Run | undefined;
  /** The newer run whose files stood there, such as `r7`. */
  readonly replaced: string | undefined;
  /** A newer run that is held, and was not written. */
  readonly waiting: Run | undefined;
  /** Whether there are no changes because the runs before it are pruned. */
  readonly isBasePruned: boolean;
  /** With the stored answers whose bytes have changed: they are left out, and fetched anew by the next run. */
  readonly exported: RunExport;
}

/** Writes the files of a run again, without a call. An unfinished run is written as far as it is. */
export async function exportJob(job: ResolvedJob, request: ExportRequest): Promise<JobExport> {
  holdMemory();
  requirePlaces(job);
  return await tellingTrouble(job.ledger, () => exportWith(job, request));
}

async function exportWith(job: ResolvedJob, request: ExportRequest): Promise<JobExport> {
  // Looked for first, so that no ledger is made where none is.
  refuseMissing(job, request);
  if (!canLockJobs(job.ledger)) return await exportToRead(job, request);
  using lock = tryLockJob(job.ledger, job.name, glanceMs);
  using ledger = openLedger(job.ledger);
  const run = chooseRun(ledger, job, request);
  if (!lock && request.accept) {
    const message = `a run of ${job.name} is under way; ${runName(run)} can be accepted when it has ended`;
    throw new DossierError('JOB_BUSY', message);
  }
  if (!lock) {
    const underWay = ledger.runs.list(job.name)[0] ?? run;
    const own = request.ownOutputs.map((path) => addressOfRun(path, underWay));
    const written = filePathsOf(job).map((path) => addressOfRun(path, run));
    refuseShared(
      job,
      written.find((place) => own.includes(place)),
    );
  }
  return await exportFrom(ledger, job, run, request);
}

/** Exports a ledger that may only be read: a damaged answer is left out, and stays where it is. */
async function exportToRead(job: ResolvedJob, request: ExportRequest): Promise<JobExport> {
  using ledger = openToRead(job);
  const run = chooseRun(ledger, job, request);
  if (request.accept) {
    const message = `${job.ledger} may only be read, so that ${runName(run)} cannot be accepted`;
    throw new DossierError('LEDGER_TROUBLE', message);
  }
  return await exportFrom(ledger, job, run, { ...request, isReadOnly: true });
}

async function exportFrom(
  ledger: Ledger,
  job: ResolvedJob,
  run: Run,
  request: ExportRequest & { readonly isReadOnly?: boolean },
): Promise<JobExport> {
  await using thread = openThreadForRows(ledger.lists.size(run.listId));
  const { accept = false } = request;
  const parts = { ...request, thread, ...(accept && { held: null }) };
  const replaced = await findNewer(job, accept ? { ...run, held: null } : run);
  if (replaced) request.onReplace?.(replaced.run, replaced.folder);
  const exported = await writeOutputs(ledger, job, run.id, parts);
  if (accept) await publish(ledger, run, foldersIn(exported));
  const newest = newestWaiting(ledger, job);
  return {
    run: accept ? { ...run, held: null } : run,
    accepted: accept ? run.held : null,
    overtakenBy: accept ? undefined : overtakerOf(run, ledger.runs.list(job.name)),
    replaced: replaced?.run,
    isAside: foldersIn(exported).some((folder) => /^held-r\d+$/.test(basename(folder))),
    waiting: newest && newest.id > run.id ? newest : undefined,
    isBasePruned: run.state === 'finished' && isBasePruned(ledger, run),
    exported,
  };
}

/** After the files: should this be killed in between, the run is still held, and can be accepted again. */
async function publish(ledger: Ledger, run: Run, folders: readonly string[]): Promise<void> {
  ledger.together(() => {
    ledger.runs.publish(run.id, systemClock.wallMs());
    ledger.judging.rememberMisses(run.id);
  });
  await removeHeldResults(ledger.runs, folders, run);
}

function refuseMissing(job: ResolvedJob, request: ExportRequest): void {
  using ledger = openToRead(job);
  chooseRun(ledger, job, request);
}

function openToRead(job: ResolvedJob): Ledger {
  const ledger = openLedgerToRead(job.ledger);
  if (ledger) return ledger;
  throw new DossierError('RUN_MISSING', `${job.name} has not run: there is no ${job.ledger}`);
}

/**
 * A run under way will write its own files, and two writers in one place could leave the files of
 * one with the manifest of the other, or stop each other. Anywhere else a look at what there is so far is welcome.
 */
function refuseShared(job: ResolvedJob, place: string | undefined): void {
  if (place === undefined) return;
  throw new DossierError(
    'JOB_BUSY',
    `a run of ${job.name} is under way and will write ${place} itself; --output with another folder shows what there is so far`,
  );
}
