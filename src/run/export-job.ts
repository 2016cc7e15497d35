import { basename } from 'node:path';
import { DossierError } from '../errors.ts';
import { filePathsOf } from '../job/places/resolve-places.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { canLockJobs, glanceMs, tryLockJob } from '../ledger/file/locks.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../ledger/open-ledger.ts';
import { overtakerOf, type Run, runName } from '../ledger/runs/runs.ts';
import { chooseRun, newestWaiting } from '../queue/published/choose-run.ts';
import { isBasePruned } from '../records/compare-runs.ts';
import { systemClock } from '../runtime/clock.ts';
import { holdMemory } from '../runtime/memory.ts';
import { findNewer, folderOfRun, removeHeldResults, requirePlaces } from './result-places.ts';
import { foldersIn, type OpenReport, writeOutputs } from './write-outputs.ts';

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

/** Writes the files of a run again, without a call. An unfinished run is written as far as it is. */
export async function exportJob(job: ResolvedJob, request: ExportRequest) {
  holdMemory();
  requirePlaces(job);
  return await tellingTrouble(job.ledger, async () => {
    // Looked for first, so that no ledger is made where none is.
    refuseMissing(job, request);
    // A ledger may only be readable: a damaged answer is then left out, and stays where it is.
    const isReadOnly = !canLockJobs(job.ledger);
    using lock = isReadOnly ? undefined : tryLockJob(job.ledger, job.name, glanceMs);
    using ledger = isReadOnly ? openToRead(job) : openLedger(job.ledger);
    const run = chooseRun(ledger, job, request);
    if (isReadOnly && request.accept) {
      const message = `${job.ledger} may only be read, so that ${runName(run)} cannot be accepted`;
      throw new DossierError('LEDGER_TROUBLE', message);
    }
    if (!isReadOnly && !lock) refuseBusy(ledger, job, run, request);
    return await exportFrom(ledger, job, run, request, isReadOnly);
  });
}

export type JobExport = Awaited<ReturnType<typeof exportJob>>;

async function exportFrom(
  ledger: Ledger,
  job: ResolvedJob,
  run: Run,
  { accept = false, onReplace, version, openReport, signal }: ExportRequest,
  isReadOnly: boolean,
) {
  const exportedRun = accept ? { ...run, held: null } : run;
  const replaced = await findNewer(job, exportedRun);
  if (replaced) onReplace?.(replaced.run, replaced.folder);
  const { held } = exportedRun;
  const parts = { version, openReport, signal, isReadOnly, held };
  const exported = await writeOutputs(ledger, job, run.id, parts);
  const folders = foldersIn(exported);
  if (accept) {
    // After the files: should this be killed in between, the run is still held, and can be accepted again.
    ledger.together(() => {
      ledger.runs.publish({ runId: run.id, acceptedAt: systemClock.wallMs() });
      ledger.judging.rememberMisses(run.id);
    });
    await removeHeldResults(ledger.runs, folders, run);
  }
  const newest = newestWaiting(ledger, job);
  return {
    run: exportedRun,
    /** What the run was held for, where it has just been accepted. */
    accepted: accept ? run.held : null,
    /** The later run that has overtaken this one, which is held. */
    overtakenBy: accept ? undefined : overtakerOf(run, ledger.runs.list(job.name)),
    /** The newer run whose files stood there, such as `r7`. */
    replaced: replaced?.run,
    /** Whether the files were put aside because a complete result stands in their place. */
    isAside: folders.some((folder) => /^held-r\d+$/.test(basename(folder))),
    /** A newer run that is held, and was not written. */
    waiting: newest && newest.id > run.id ? newest : undefined,
    /** Whether there are no changes because the runs before it are pruned. */
    isBasePruned: run.state === 'finished' && isBasePruned(ledger, run),
    /** With the stored answers whose bytes have changed: they are left out, and fetched anew by the next run. */
    exported,
  };
}

function refuseMissing(job: ResolvedJob, request: ExportRequest) {
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
function refuseBusy(ledger: Ledger, job: ResolvedJob, run: Run, request: ExportRequest) {
  const busy = `a run of ${job.name} is under way`;
  if (request.accept) {
    const message = `${busy}; ${runName(run)} can be accepted when it has ended`;
    throw new DossierError('JOB_BUSY', message);
  }
  const underWay = ledger.runs.list(job.name)[0] ?? run;
  const own = request.ownOutputs.map((path) => folderOfRun(path, underWay));
  const written = filePathsOf(job).map((path) => folderOfRun(path, run));
  const place = written.find((path) => own.includes(path));
  if (place === undefined) return;
  throw new DossierError(
    'JOB_BUSY',
    `${busy} and will write ${place} itself; --output with another folder shows what there is so far`,
  );
}
