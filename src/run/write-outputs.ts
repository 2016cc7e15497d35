import { outputFolder } from '../job/output-folder.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { answeredCalls } from '../rules/outcomes.ts';
import { savedCalls } from '../rules/saved-calls.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { type ExportSummary, exportRun } from '../sinks/export-run.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import type { Sink } from '../sinks/sink.ts';

/** What was exported, and how many answers could not be because their bytes have changed. */
export interface RunExport extends ExportSummary {
  readonly damagedAnswers: number;
}

/** Opens the sink that makes a page for people of a run. */
export type OpenReport = (reported: {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly run: Run;
  readonly facts: ManifestFacts;
  readonly names: ResolvedJob['reference'];
}) => Sink;

export interface OutputParts {
  readonly version: string;
  /** When a run ended that the ledger does not know as finished yet. */
  readonly endedAt?: number;
  readonly openReport?: OpenReport | undefined;
  /** Shares the encoding of records, where there is one. */
  readonly thread?: Thread | undefined;
  /** Aborted to stop before any file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** The ledger may only be read, so a damaged answer stays in it. */
  readonly isReadOnly?: boolean;
}

/** Writes the outputs of a run from the ledger alone. A damaged answer is not shown, and asked anew. */
export async function writeOutputs(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  { version, endedAt, openReport, thread, signal, isReadOnly = false }: OutputParts,
): Promise<RunExport> {
  const run = ledger.runs.get(runId);
  if (!run) throw new Error(`run ${runId} is not in the ledger`);
  const folder = folderOfRun(job.output.path, run);
  const facts = manifestFacts(ledger, run, { version, endedAt: run.finishedAt ?? endedAt ?? null });
  const damaged = new Set<number>();
  const onDamage = (answerId: number) => void damaged.add(answerId);
  const recorded = { ...run, endedAt };
  const exported = await exportRun(
    {
      records: ledger.records.of(recorded, onDamage),
      rowCount: ledger.lists.size(run.listId),
      largeRows: ledger.records.largeRows(run),
      stored: { ledger: job.ledger, run: recorded, onDamage, thread },
    },
    {
      ...job.output,
      folder,
      facts,
      names: job.reference,
      signal,
      report: openReport?.({ folder, ledger, run, facts, names: job.reference }),
    },
  );
  if (damaged.size > 0 && !isReadOnly) {
    ledger.together(() => {
      for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
    });
  }
  return { ...exported, damagedAnswers: damaged.size };
}

/** Where the files of a run go. */
export function folderOfRun(outputPath: string, run: Run): string {
  const startedAt = new Date(run.lastStartedAt);
  return outputFolder(outputPath, { id: runName(run), startedAt, isTry: run.rowLimit !== null });
}

/** What the manifest says of a run beside its records. */
export function manifestFacts(
  ledger: Ledger,
  run: Run,
  { version, endedAt }: { readonly version: string; readonly endedAt: number | null },
): ManifestFacts {
  const { calls } = ledger.counts(run.id);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    sampleData: run.service === sampleData,
    version,
    complete: endedAt !== null,
    run: {
      id: runName(run),
      startedAt: iso(run.startedAt),
      endedAt: endedAt === null ? null : iso(endedAt),
    },
    job: { name: run.job, fingerprint: run.jobFingerprint, list: run.list },
    input: { name: run.inputName, fingerprint: run.inputSha256 ?? '' },
    calls: { made: answeredCalls(calls), failed: calls.failed, saved: savedCalls(calls) },
  };
}
