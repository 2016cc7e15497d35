import { formFingerprint } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { keepStaleOutcomes } from '../queue/kept/keep-stale.ts';
import { readUnlessPruned, refusePrunedSince } from '../queue/published/refuse-pruned.ts';
import { findSameResult } from '../queue/published/same-result.ts';
import { compareRuns, findEarlier, unchangedIn } from '../records/changes/compare-runs.ts';
import { schemaVersion } from '../records/columns/columns.ts';
import { answeredCalls } from '../rules/outcomes.ts';
import { savedCalls } from '../rules/saved-calls.ts';
import { type TotalSpend, totalSpend } from '../rules/total-spend.ts';
import { batchesOf } from '../runtime/batches-of.ts';
import { moneyJson } from '../runtime/budget/money.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { type ExportSummary, exportRun, type SameTally } from '../sinks/export-run.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import type { Sink } from '../sinks/sink.ts';
import { queueTerms } from './open-run.ts';
import { placeOfResult } from './place-of-result.ts';

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
  /** Why the run has not finished, where that is known. */
  readonly stopped?: string | undefined;
}) => Sink;

export interface OutputParts {
  readonly version: string;
  /** When a run ended that the ledger does not know as finished yet. */
  readonly endedAt?: number;
  /** Why the result is held, or null where it is not; as the ledger says unless given. */
  readonly held?: Run['held'];
  /** What has stopped a run that has not finished. */
  readonly stopped?: string | undefined;
  readonly openReport?: OpenReport | undefined;
  /** Shares the encoding of records, where there is one. */
  readonly thread?: Thread | undefined;
  /** Aborted to stop before any file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** The ledger may only be read, so a damaged answer stays in it. */
  readonly isReadOnly?: boolean;
  /** Whether files of the same result may be left unread; an export reads every record. */
  readonly mayLeave?: boolean;
}

/** Writes the outputs of a run from the ledger alone. A damaged answer is not shown, and asked anew. */
export async function writeOutputs(
  ledger: Ledger,
  job: ResolvedJob,
  runId: number,
  {
    version,
    openReport,
    thread,
    signal,
    isReadOnly = false,
    mayLeave = false,
    ...parts
  }: OutputParts,
): Promise<RunExport> {
  const stored = ledger.runs.get(runId);
  if (!stored) throw new Error(`run ${runId} is not in the ledger`);
  const { held = stored.held, endedAt, stopped } = parts;
  const run = { ...stored, held };
  const ended = run.finishedAt ?? endedAt ?? null;
  const folder = await placeOfResult(job.output, run, { isComplete: ended !== null });
  const earlier = findEarlier(ledger, run);
  // What a run lacks that has not ended is not gone, and a try has only the first rows.
  const base = ended === null || run.rowLimit !== null ? undefined : earlier;
  const form = formFingerprint(job, version);
  const facts = manifestFacts(ledger, run, { version, form, endedAt: ended, base });
  const damaged = new Set<number>();
  const onDamage = (answerId: number) => void damaged.add(answerId);
  const staleSince = run.lastStartedAt - job.reuse.staleOnFailureMs;
  const recorded = { ...run, endedAt, staleSince };
  const isUnfinished = run.state === 'open' && endedAt === undefined;
  if (isUnfinished && !isReadOnly) {
    ledger.together(() => keepStaleOutcomes(ledger, run, queueTerms(job)));
  }
  if (earlier && run.finishedAt === null && !isReadOnly) {
    keepChangeTimes(ledger, { base: earlier, run }, job.reference);
  }
  const read = base ? [run, base] : [run];
  const exported = await readUnlessPruned(ledger, read, () =>
    exportRun(
      {
        records: ledger.records.of(recorded, onDamage),
        rowCount: ledger.lists.size(run.listId),
        changes: base && compareRuns(ledger, { base, run }, howToCompare(job)),
        largeRows: ledger.records.largeRows(run),
        stored: { ledger: job.ledger, run: recorded, onDamage, thread },
      },
      {
        ...job.output,
        folder,
        facts,
        names: job.reference,
        signal,
        findSame(last) {
          const isLike = last.complete && last.form === form && last.job.name === run.job;
          if (!mayLeave || !facts.complete || !isLike) return undefined;
          return findSameResult(ledger, run, last.run) as SameTally | undefined;
        },
        confirm: () => refusePrunedSince(ledger, read),
        report: openReport?.({ folder, ledger, run, facts, names: job.reference, stopped }),
      },
    ),
  );
  if (damaged.size > 0 && !isReadOnly) {
    ledger.together(() => {
      for (const answerId of damaged) ledger.calls.discardAnswer(answerId);
    });
  }
  if (isUnfinished && !isReadOnly) {
    const { matched, not_found, invalid, failed, open, stale, people } = exported.counts;
    const rows = { matched, not_found, invalid, failed, open };
    ledger.together(() => ledger.progress.putWritten(runId, { rows, stale, people }));
  }
  const { tally } = exported;
  if (tally && facts.complete && !exported.isSame && !isReadOnly) {
    ledger.together(() => ledger.tallies.put(run.job, { runId, tally }));
  }
  return { ...exported, damagedAnswers: damaged.size };
}

const rowsInCommit = 1_000;

/** Notes since when the records are so that a run has found as they were: their changed_at stays. */
function keepChangeTimes(
  ledger: Ledger,
  { base, run }: { readonly base: Run; readonly run: Run },
  names: ResolvedJob['reference'],
): void {
  const { rows, people } = unchangedIn(ledger, { base, run }, names);
  for (const some of batchesOf(rows, rowsInCommit)) {
    ledger.together(() => ledger.outcomes.setChangedRun(run.id, some));
  }
  for (const some of batchesOf(people, rowsInCommit)) {
    ledger.together(() => {
      for (const { changedRuns, ...company } of some) {
        ledger.searches.setChangedRuns({ runId: run.id, ...company }, changedRuns);
      }
    });
  }
}

/** How the runs of a job are compared. */
export function howToCompare({ changes, reference }: Pick<ResolvedJob, 'changes' | 'reference'>) {
  return { include: changes.include, names: reference };
}

/** What the manifest says of a run beside its records. */
export function manifestFacts(
  ledger: Ledger,
  run: Run,
  {
    version,
    form,
    endedAt,
    base,
  }: Pick<ManifestFacts, 'version' | 'form'> & { endedAt: number | null; base: Run | undefined },
): ManifestFacts {
  const { calls } = ledger.counts(run.id);
  const spent = ledger.spend.ofRun(run.id);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    sampleData: run.service === sampleData,
    version,
    schemaVersion,
    form,
    complete: endedAt !== null,
    held: run.held && [...run.held],
    run: {
      id: runName(run),
      startedAt: iso(run.startedAt),
      endedAt: endedAt === null ? null : iso(endedAt),
      changesSince: base ? runName(base) : null,
    },
    job: { name: run.job, fingerprint: run.jobFingerprint, list: run.list },
    input: {
      name: run.inputName,
      fingerprint: run.inputSha256 ?? '',
      corrections: run.corrections?.applied ?? 0,
    },
    calls: { made: answeredCalls(calls), failed: calls.failed, saved: savedCalls(calls) },
    ...(spent.length > 0 && { spend: spendJson(totalSpend(spent)) }),
  };
}

function spendJson({ requests, money }: TotalSpend): NonNullable<ManifestFacts['spend']> {
  return { requests, money: money.map(moneyJson) };
}
