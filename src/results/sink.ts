import { setImmediate as nextTurn } from 'node:timers/promises';
import { addChange } from '../core/columns/compare-records.ts';
import { countMisfits, misfitWarning } from '../core/columns/flatten-answer.ts';
import type { Difference, RowRecord, RunRecords } from '../core/columns/run-records.ts';
import { companyFields, type RecordedChange } from '../core/columns/table-columns.ts';
import { type RunRecord, recordsOfRun } from '../core/columns/tables.ts';
import type { ReferenceNames } from '../core/contract/reference.ts';
import { DossierError } from '../core/errors.ts';
import { noCounts } from '../core/rules/outcomes.ts';
import type { Warning } from '../core/rules/warnings.ts';
import { noChanges } from './compare-runs.ts';
import type { Manifest, ManifestHead, WrittenFacts } from './manifest.ts';
import type { RunTally } from './tally/run-tally.ts';

export interface RecordSource {
  readonly records: RunRecords;
  /** The rows to write if the lines of all others are copied from the last file. Absent: all rows. */
  readonly rows?: Difference['rows'];
  readonly changes?: Iterable<RecordedChange> | undefined;
  readonly since?: string | null;
  /** Runs that `changes` covers, oldest first. Absent if it covers only this run. */
  readonly runs?: readonly CoveredRun[];
  /** Pruned runs, whose changes are lost. */
  readonly missing?: readonly string[];
  readonly warnings?: readonly Warning[];
}

export interface ReceivedRun {
  readonly run: string;
  readonly startedAt?: string;
  /** Absent in results of Dossier 0.9.0. */
  readonly ledgerId?: string | undefined;
}

export interface CoveredRun {
  /** The run before it. Null if either of them was pruned, so the changes between them are lost. */
  readonly since: string | null;
  readonly facts: Omit<Manifest, 'changes' | 'files'>;
}

export interface RecordSink {
  write(record: RunRecord): Promise<void> | undefined;
}

export type ReportText = (written: WrittenFacts, tally: RunTally) => string | undefined;

/** Not visible yet, so the outputs of a run can be published together. */
export interface PreparedExport {
  commit(): Promise<ExportSummary>;
  abort(): Promise<void>;
}

export function laterThere(
  { run, ledgerId }: ManifestHead,
  address: string,
  there: ReceivedRun,
): DossierError {
  const isOurs = there.ledgerId === ledgerId;
  const isLost = isOurs && Number(there.run.slice(1)) <= Number(run.slice(1));
  const found = `${there.run}${isOurs ? '' : ' of another ledger'} (started ${there.startedAt})`;
  const why = isLost ? 'is there, which this ledger has lost' : 'is there and is later';
  const message = `${run} was not written to ${address}, because ${found} ${why}`;
  return new DossierError('RESULT_OLDER', message);
}

export interface ExportSummary extends WrittenFacts {
  /** The folder of the result, or the URL of a bucket or database without user and password. */
  readonly folder: string;
  /** A later run that was there before. */
  readonly replaced?: ReceivedRun | undefined;
  readonly isSame: boolean;
  readonly unchanged: readonly string[];
  readonly tally: RunTally | undefined;
}

const recordsInTurn = 64;

export async function writeRecords(
  {
    records,
    rows: rowsToWrite,
    changes = [],
    since = null,
    missing = [],
    warnings = [],
  }: RecordSource,
  sinks: readonly RecordSink[],
  reference: ReferenceNames,
  signal?: AbortSignal,
): Promise<Omit<WrittenFacts, 'files'>> {
  const rows = { total: 0, ...noCounts().rows };
  const gap = missing.length > 0 ? { missing: [...missing] } : {};
  const counts = { rows, people: 0, changes: { since, ...gap, ...noChanges() } };
  const misfits: Parameters<typeof countMisfits>[2] = new Map();
  let written = 0;
  for (const record of recordsOfRun(records, changes, reference, rowsToWrite?.())) {
    for (const sink of sinks) {
      const writing = sink.write(record);
      if (writing) await writing;
    }
    const { row, person, change } = record;
    if (row) {
      countRow(rows, row.row);
      countMisfits(companyFields, row.extra, misfits);
    }
    if (person) counts.people += 1;
    if (change) addChange(counts.changes, change.op);
    written += 1;
    if (written % recordsInTurn === 0) await nextTurn();
    signal?.throwIfAborted();
  }
  return {
    ...counts,
    warnings: [...warnings, ...[...misfits].map((misfit) => misfitWarning(...misfit))],
  };
}

export function countRow(
  rows: WrittenFacts['rows'],
  { status, isStale }: RowRecord,
  step: 1 | -1 = 1,
): void {
  rows.total += step;
  rows[status] += step;
  if (isStale) rows.stale += step;
}

/** Adds the counts of the rows and people that the destination already has. */
export function withSameRecords<Written extends Pick<WrittenFacts, 'warnings'>>(
  written: Written,
  { rows, people, warnings }: WrittenFacts,
) {
  const misfits = warnings.filter(({ kind }) => kind === 'misfit');
  return { ...written, rows, people, warnings: [...written.warnings, ...misfits] };
}

/** For a destination that already has the result. */
export function onlyChanges({ records, ...changes }: RecordSource): RecordSource {
  return { ...changes, records: { ...records, rows: () => [], hasPeople: false } };
}
