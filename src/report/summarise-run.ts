import type { ReferenceNames } from '../contract/reference.ts';
import { identifyRow, type RowPlan } from '../identify/identify-row.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, timeTaken } from '../ledger/runs/runs.ts';
import { answeredCalls } from '../rules/outcomes.ts';
import { savedCalls } from '../rules/saved-calls.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import type { WrittenRecords } from '../sinks/sink.ts';
import { clipText } from '../sinks/tally/row-sample.ts';
import type { RunTally } from '../sinks/tally/run-tally.ts';
import type { ReportData } from './data/report-data.ts';
import type { RejectedCell } from './explain-reason.ts';
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
  /** What the columns of the list are read as, by its first rows; throws where the job names others. */
  readonly planColumns?:
    | ((sample: readonly (readonly (string | undefined)[])[]) => RowPlan)
    | undefined;
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
    rejectedCell: rejectedCellIn(reported),
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
      // The same run gives the same page, whenever it is written.
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

/** Rows that tell what the columns are. */
const sampleRows = 200;
const longestCell = 80;

/** The ledger does not keep which cell was rejected, so the examples are read once more. */
function rejectedCellIn({ ledger, run, planColumns }: RunToReport): RejectedCell {
  const cellsOf = (numbers: readonly number[]) =>
    ledger.records
      .at(run, numbers, () => {})
      .map((side) => side?.record.cells.map((cell) => cell ?? undefined) ?? []);
  let plan: RowPlan | undefined;
  return (number, reason) => {
    try {
      plan ??= planColumns?.(cellsOf(Array.from({ length: sampleRows }, (_, at) => at + 1)));
    } catch {
      return undefined;
    }
    const [cells = []] = cellsOf([number]);
    if (!plan) return undefined;
    const { rejects, country } = identifyRow(cells, plan);
    const column = country
      ? rejects.find(({ reject }) => reject === reason)?.column
      : plan.country.index;
    if (column === undefined) return undefined;
    return `${run.columns[column]}: ${clipText(cells[column] || 'blank', longestCell)}`;
  };
}

function nameOf(files: RunToReport['files'], table: 'companies' | 'changes'): string {
  const file = files.find((one) => one.table === table);
  const workbook =
    table === 'companies' ? files.find((one) => one.table === 'workbook') : undefined;
  return (file ?? workbook)?.name ?? `the ${table} files`;
}
