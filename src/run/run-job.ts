import { identifierKinds } from '../contract/identifier-kinds.ts';
import { type ExportSummary, exportRun, type WrittenRun } from '../export/export-run.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import { outputFolder } from '../job/output-folder.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import { lockJob } from '../ledger/job-lock.ts';
import { type Ledger, openLedger, tellingTrouble } from '../ledger/open-ledger.ts';
import type { Run } from '../ledger/runs.ts';
import type { Clock } from '../runtime/clock.ts';
import { holdMemory } from '../runtime/hold-memory.ts';
import type { SideThread } from '../runtime/side-thread.ts';
import type { CallMeter } from './call-meter.ts';
import { resumableRun, stampInput } from './choose-run.ts';
import { keepTimeline } from './keep-timeline.ts';
import { makeCalls, type ServiceCalls } from './make-calls.ts';
import { openWhenNeeded } from './open-when-needed.ts';
import { requireRoom } from './require-room.ts';
import { type RunContext, type RunCounts, readCounts } from './run-context.ts';
import { startRun } from './start-run.ts';

/** The client as a run sees it. */
export interface ServiceClient extends ServiceCalls, AsyncDisposable {
  /** Lets nothing leave any more; what is on the wire may still come home. */
  stop(error: Error): void;
}

/** What the run knows of its service before the first call. */
export interface ClientFacts {
  readonly isKnownToAnswer: boolean;
}

export interface RunParts {
  /** Called when the first call is needed; a run with all answers at hand opens no socket. */
  readonly openClient: (facts: ClientFacts) => Promise<ServiceClient>;
  /** The second thread of the export; without it, the export has one. */
  readonly sideThread?: SideThread;
  readonly clock: Clock;
  readonly version: string;
  /** Aborted to stop the run; its reason is thrown after everything is stored. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Hears what happens on the wire; what it has measured is kept with the run. */
  readonly meter?: CallMeter;
  /** Makes the report for people; a run without it has only its files. */
  readonly makeReport?: MakeReport;
  /** How long answers that are still on the wire are waited for after a stop. */
  readonly graceMs?: number;
}

/** Turns an export that is in its place into a page for people. */
export type MakeReport = (
  written: WrittenRun & {
    readonly ledger: Ledger;
    readonly run: Run;
    readonly reference: ResolvedJob['reference'];
  },
) => Promise<void>;

/** Hears how a run goes, for the log and the progress line. */
export interface RunObserver {
  onIngest(rows: number, share: number | undefined): void;
  onStart(run: Run, isResumed: boolean, counts: RunCounts): void;
  onProgress(counts: RunCounts): void;
  onExport(): void;
}

export interface RunSummary {
  readonly run: Run;
  readonly isResumed: boolean;
  readonly counts: RunCounts;
  /** Calls of earlier executions of this run, before it was taken up again. */
  readonly callsBefore: number;
  readonly exported: RunExport;
}

/** What was exported, and how many answers could not be because their bytes have changed. */
export interface RunExport extends ExportSummary {
  readonly damagedAnswers: number;
}

/** Whoever stops us will not wait much longer. */
const defaultGraceMs = 5_000;

/** Runs a job, or goes on with it: calls that were answered before are not made again. */
export async function runJob(job: ResolvedJob, parts: RunParts): Promise<RunSummary> {
  holdMemory();
  using _lock = lockJob(job.ledger, job.name);
  using ledger = openLedger(job.ledger);
  return await tellingTrouble(job.ledger, () => runWith(ledger, job, parts));
}

async function runWith(ledger: Ledger, job: ResolvedJob, parts: RunParts): Promise<RunSummary> {
  const { context, isResumed } = await openRun(ledger, job, parts);
  const { run, counts } = context;
  const callsBefore = counts.calls.called;
  parts.observer.onStart(run, isResumed, counts);

  if (counts.calls.open > 0) await resolveCalls(context, parts);
  const endedAt = parts.clock.wallMs();
  parts.observer.onExport();
  const exported = await exportFromLedger(ledger, job, run.id, { ...parts, endedAt });
  // Not before the files are there: whoever dies while writing them goes on with the same run.
  ledger.together(() => ledger.runs.finish(run.id, endedAt));
  return { run, isResumed, counts, callsBefore, exported };
}

async function openRun(
  ledger: Ledger,
  job: ResolvedJob,
  parts: RunParts,
): Promise<{ context: RunContext; isResumed: boolean }> {
  const stamp = stampInput(job.input.path);
  const fingerprint = jobFingerprint(job);
  const unfinished = ledger.together(() => {
    ledger.calls.recover(job.name);
    ledger.calls.gatherAliases();
    ledger.runs.dropUnfinishedIngests(job.name);
    return resumableRun(ledger, { job: job.name, jobFingerprint: fingerprint, input: stamp });
  });
  const { clock } = parts;
  if (unfinished) {
    const counts = ledger.progress.of(unfinished.id) ?? readCounts(ledger, unfinished);
    // Whatever its list asks for was seen by another process.
    const askedKinds = new Set(identifierKinds);
    const context = { ledger, job, clock, run: unfinished, counts, askedKinds };
    return { context, isResumed: true };
  }
  const { signal, observer } = parts;
  const reading = { clock, signal, onProgress: observer.onIngest };
  const context = await startRun(ledger, job, { fingerprint, stamp }, reading);
  return { context, isResumed: false };
}

/** Makes the calls of a run; at a signal, those on the wire get a moment to come home. */
export async function resolveCalls(
  context: RunContext,
  parts: Pick<RunParts, 'openClient' | 'signal' | 'observer' | 'meter' | 'graceMs'>,
): Promise<void> {
  const { signal, observer, graceMs = defaultGraceMs } = parts;
  signal.throwIfAborted();
  requireRoom(context.job.ledger, context.job.limits.concurrency);
  const { calls } = context.counts;
  using timeline = keepTimeline(context, parts.meter);
  await using client = openWhenNeeded(() => {
    const isKnownToAnswer = calls.called + calls.reused + calls.joined > 0;
    return parts.openClient({ isKnownToAnswer });
  });
  const wire = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    client.stop(signal.reason as Error);
    grace = setTimeout(() => wire.abort(signal.reason), graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await makeCalls(context, client, {
      stopping: signal,
      signal: wire.signal,
      onProgress: () => {
        observer.onProgress(context.counts);
        timeline.tick();
      },
    });
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
  }
}

interface ExportManner extends Pick<RunParts, 'sideThread' | 'version' | 'makeReport'> {
  readonly endedAt?: number;
}

/** Writes the files of a run from the ledger alone. A damaged answer is not shown, and asked anew. */
export async function exportFromLedger(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  { sideThread, version, makeReport, endedAt }: ExportManner,
): Promise<RunExport> {
  const run = ledger.runs.get(runId);
  if (!run) throw new Error(`run ${runId} is not in the ledger`);
  const { called, reused, joined } = ledger.calls.counts(runId);
  const iso = (ms: number) => new Date(ms).toISOString();
  const finishedAt = run.finishedAt ?? endedAt;
  const startedAt = new Date(run.startedAt);
  const damaged = new Set<number>();
  const onDamage = (answerId: number) => void damaged.add(answerId);
  const { id, columns, hasPeople } = run;
  const rowCount = ledger.rows.last(id);
  const rows = { ledger: job.ledger, run: { id, columns, hasPeople }, rowCount, onDamage };
  const exported = await exportRun(ledger.records.of(run, onDamage), {
    ...job.output,
    ...(sideThread && { threaded: { ...rows, sideThread } }),
    folder: outputFolder(job.output.path, { id: runName(run), startedAt }),
    facts: {
      version,
      run: {
        id: runName(run),
        startedAt: iso(run.startedAt),
        endedAt: finishedAt === undefined ? null : iso(finishedAt),
      },
      job: { name: run.job, fingerprint: run.jobFingerprint },
      input: { name: run.inputName, fingerprint: run.inputSha256 ?? '' },
      calls: { made: called, saved: reused + joined },
    },
    ...(makeReport && {
      writeReport: (written: WrittenRun) =>
        makeReport({ ...written, ledger, run, reference: job.reference }),
    }),
  });
  ledger.together(() => {
    for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
  });
  return { ...exported, damagedAnswers: damaged.size };
}

/** How people and paths call a run: `r7`. */
export function runName(run: Pick<Run, 'id'>): string {
  return `r${run.id}`;
}
