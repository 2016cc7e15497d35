import { DossierError } from '../errors.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import { canLockJobs, glanceMs, tryLockJob } from '../ledger/file/job-lock.ts';
import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { isLookupSlot } from '../ledger/file/lookup-slots.ts';
import { type Ledger, openLedger, openLedgerToRead } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { holdMemory } from '../runtime/hold-memory.ts';
import type { ExportSummary } from '../sinks/export-run.ts';
import { openThreadForRows } from './second-thread.ts';
import { folderOfRun, type OpenReport, writeOutputs } from './write-outputs.ts';

export interface ExportRequest {
  /** Undefined: the newest. */
  readonly runId: number | undefined;
  /** Where a run of the job would write now; only there an export can get in its way. */
  readonly ownOutput: string;
  readonly version: string;
  readonly openReport?: OpenReport;
  readonly signal?: AbortSignal;
}

export interface JobExport {
  readonly run: Run;
  /** Stored answers whose bytes have changed; they are left out, and fetched anew by the next run. */
  readonly damagedAnswers: number;
  readonly exported: ExportSummary;
}

/** Writes the files of a run again, without a call. An unfinished run is written as far as it is. */
export async function exportJob(job: ResolvedJob, request: ExportRequest): Promise<JobExport> {
  holdMemory();
  return await tellingTrouble(job.ledger, () => exportWith(job, request));
}

async function exportWith(job: ResolvedJob, request: ExportRequest): Promise<JobExport> {
  // Looked for first, so that no ledger is made where none is.
  refuseMissing(job, request.runId);
  if (!canLockJobs(job.ledger)) return await exportToRead(job, request);
  using lock = tryLockJob(job.ledger, job.name, glanceMs);
  using ledger = openLedger(job.ledger);
  const run = chooseRun(ledger, job, request.runId);
  if (!lock) {
    const underWay = ledger.runs.list(job.name)[0] ?? run;
    const own = folderOfRun(request.ownOutput, underWay);
    refuseSharedFolder(job, folderOfRun(job.output.path, run), own);
  }
  return await exportFrom(ledger, job, run, request);
}

/** Exports a ledger that may only be read: a damaged answer is left out, and stays where it is. */
async function exportToRead(job: ResolvedJob, request: ExportRequest): Promise<JobExport> {
  using ledger = openToRead(job);
  const run = chooseRun(ledger, job, request.runId);
  return await exportFrom(ledger, job, run, { ...request, isReadOnly: true });
}

async function exportFrom(
  ledger: Ledger,
  job: ResolvedJob,
  run: Run,
  request: ExportRequest & { readonly isReadOnly?: boolean },
): Promise<JobExport> {
  await using thread = openThreadForRows(ledger.lists.size(run.listId));
  const parts = { ...request, thread };
  const { damagedAnswers, ...exported } = await writeOutputs(ledger, job, run.id, parts);
  return { run, damagedAnswers, exported };
}

function refuseMissing(job: ResolvedJob, runId: number | undefined): void {
  using ledger = openToRead(job);
  chooseRun(ledger, job, runId);
}

function openToRead(job: ResolvedJob): Ledger {
  const ledger = openLedgerToRead(job.ledger);
  if (ledger) return ledger;
  throw new DossierError('RUN_MISSING', `${job.name} has not run: there is no ${job.ledger}`);
}

function chooseRun(ledger: Ledger, job: ResolvedJob, runId: number | undefined): Run {
  if (runId === undefined) {
    const runs = ledger.runs.list(job.name).filter(({ state }) => state !== 'ingesting');
    // A run of the whole list comes before one with --limit, which holds only the first rows.
    const newest = runs.find(({ rowLimit }) => rowLimit === null) ?? runs[0];
    if (newest) return newest;
    throw new DossierError('RUN_MISSING', `${job.ledger} holds no run of ${nameOf(job)} yet`);
  }
  const run = ledger.runs.get(runId);
  const name = runName({ id: runId });
  if (run?.job === job.name && run.state !== 'ingesting') {
    if (run.prunedAt === null) return run;
    const day = new Date(run.prunedAt).toISOString().slice(0, 10);
    throw new DossierError('RUN_PRUNED', `${name} of ${job.name} was pruned on ${day}`);
  }
  const owner = run && isLookupSlot(run.job) ? 'a lookup' : `of ${run?.job}`;
  const whose = run && run.job !== job.name ? `; ${name} is ${owner}` : '';
  throw new DossierError('RUN_MISSING', `${job.name} has no run ${name}${whose}`);
}

/** What the user knows the job by: a list that shares its file name with another is told by its path. */
function nameOf({ name, list }: ResolvedJob): string {
  return `${name} (${list})`;
}

/**
 * A run under way will write its own files, and two writers in one folder could leave the files of
 * one with the manifest of the other. Anywhere else a look at what there is so far is welcome.
 */
function refuseSharedFolder(job: ResolvedJob, folder: string, folderUnderWay: string): void {
  if (folder !== folderUnderWay) return;
  throw new DossierError(
    'JOB_BUSY',
    `a run of ${job.name} is under way and will write ${folder} itself; --output with another folder shows what there is so far`,
  );
}
