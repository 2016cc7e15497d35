import type { ReferenceNames } from '../contract/reference.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, timeTaken } from '../ledger/runs/runs.ts';
import { answeredCalls } from '../rules/outcomes.ts';
import { savedCalls } from '../rules/saved-calls.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import type { WrittenRecords } from '../sinks/sink.ts';
import type { RunTally } from '../sinks/tally/run-tally.ts';
import type { ReportData } from './data/report-data.ts';
import { findAttention } from './find-attention.ts';
import { gatherInsight } from './gather-insight.ts';
import { paidBy } from './paid-by.ts';

export interface RunToReport extends WrittenRecords {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly facts: Pick<ManifestFacts, 'version' | 'run'>;
  readonly tally: RunTally;
  readonly names: ReferenceNames;
  readonly seenAt: number;
  /** Why the run has not finished, where that is known. */
  readonly stopped?: string | undefined;
  /** Whether the files are put aside. */
  readonly isAside?: boolean;
  /** Puts the job as people would type it into a text. */
  nameJob?(text: string): string;
}

/** The whole report of a run, from the ledger and from what was folded while it was exported. */
export function summariseRun(reported: RunToReport): ReportData {
  const { ledger, run, facts, counts, files, tally, names, seenAt } = reported;
  const { isAside = false, nameJob = (text) => text } = reported;
  const doubtful = ledger.calls.doubtful(run.id).length;
  const { called, ...calls } = ledger.counts(run.id).calls;
  const endedAt = facts.run.endedAt === null ? null : Date.parse(facts.run.endedAt);
  const since = facts.run.changesSince;
  const insight = gatherInsight(tally, {
    totalRows: counts.rows,
    hasPeople: run.hasPeople,
    file: nameOf(files, 'companies'),
    changes: since === null ? null : { since, file: nameOf(files, 'changes') },
    names,
  });
  const known = {
    run: {
      id: facts.run.id,
      job: run.job,
      input: run.inputName,
      isSample: run.service === sampleData,
      state: endedAt === null ? 'interrupted' : 'finished',
      held: run.held?.map(({ message }) => message) ?? [],
      ...(endedAt === null && { stopped: { why: whyStopped(reported), isAside } }),
      hasPeople: run.hasPeople,
      startedAt: run.startedAt,
      endedAt,
      // The same run gives the same page, whenever it is written.
      seenAt: endedAt ?? seenAt,
      took: timeTaken(run, endedAt ?? seenAt),
    },
    rows: {
      total: counts.rows,
      matched: counts.matched,
      not_found: counts.not_found,
      invalid: counts.invalid,
      failed: counts.failed,
      open: counts.open,
    },
    ...(counts.stale > 0 && { stale: counts.stale }),
    calls: {
      made: answeredCalls({ called, failed: calls.failed }),
      ...calls,
      saved: savedCalls(calls),
    },
    insight,
  } as const;
  const { failedSearches, incompleteSearches: incomplete } = ledger.counts(run.id);
  const corrections = run.corrections?.applied ?? 0;
  const trouble = { doubtfulCalls: doubtful, failedSearches, incompleteSearches: incomplete };
  return {
    ...known,
    ...paidBy(ledger, run.id),
    version: facts.version,
    people: counts.people,
    attention: findAttention({ ...known, ...trouble, corrections }).map((one) => ({
      ...one,
      advice: nameJob(one.advice),
    })),
    files: files.map(({ name, table, rows, bytes }) => ({ name, table, rows, bytes })),
  };
}

/** In words of the error, or by its code where the files are written later; empty where nobody knows. */
function whyStopped({ ledger, run, stopped }: RunToReport): string {
  if (stopped !== undefined) return stopped;
  return ledger.starts.list(run.job, 1).find(({ runId }) => runId === run.id)?.reason ?? '';
}

function nameOf(files: RunToReport['files'], table: 'companies' | 'changes'): string {
  const file = files.find((one) => one.table === table);
  const workbook =
    table === 'companies' ? files.find((one) => one.table === 'workbook') : undefined;
  return (file ?? workbook)?.name ?? `the ${table} files`;
}
