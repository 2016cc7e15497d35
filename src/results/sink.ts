import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunRecords } from '../core/columns/run-records.ts';
import type { RecordedChange } from '../core/columns/table-columns.ts';
import { type RunRecord, recordsOfRun } from '../core/columns/tables.ts';
import type { ReferenceNames } from '../core/contract/reference.ts';
import { noCounts } from '../core/rules/outcomes.ts';
import { noChanges } from './changes.ts';
import type { WrittenFacts } from './manifest.ts';
import type { RunTally } from './tally/run-tally.ts';

/** The records of a run. */
export interface RecordSource {
  readonly records: RunRecords;
  /** Differences from an earlier run; absent without one. */
  readonly changes?: Iterable<RecordedChange> | undefined;
  /** That run. */
  readonly since?: string | null;
  /** Runs whose changes are among them, oldest first; absent where they are those of this run alone. */
  readonly runs?: readonly ReceivedRun[];
  /** Runs whose changes cannot be told any more, because they were pruned. */
  readonly missing?: readonly string[];
}

/** The run that a destination received last, by its name and, where it is known, its start. */
export interface ReceivedRun {
  readonly run: string;
  readonly startedAt?: string;
}

/** Takes records, in the order of the run. */
export interface RecordSink {
  /** A promise is awaited before the next record comes. */
  write(record: RunRecord): Promise<void> | undefined;
}

/** Text of the page for people; undefined where none can be made. */
export type ReportText = (written: WrittenFacts, tally: RunTally) => string | undefined;

/** A result that is whole, but not shown yet. All outputs of a run appear together or not at all. */
export interface PreparedExport {
  /** The destination, without user and password. */
  readonly place: string;
  /** Shows the result. A text says why nothing was written. */
  commit(): Promise<ExportSummary | string>;
  /** Removes what is not shown. */
  abort(): Promise<void>;
}

export interface ExportSummary extends WrittenFacts {
  /** Where the files are: a folder, or an address. */
  readonly folder: string;
  /** The destination held the same result, so no record was read. */
  readonly isSame: boolean;
  /** Names of files that were left alone because they are the same. */
  readonly unchanged: readonly string[];
  /** Figures about all records, where there is a report. */
  readonly tally: RunTally | undefined;
}

/** Other work of the process has its turn after so many records. */
const recordsInTurn = 64;

/** Writes every row, in the order of the input, then people and changes, each to all sinks. */
export async function writeRecords(
  { records, changes = [], since = null, missing = [] }: RecordSource,
  sinks: readonly RecordSink[],
  names: ReferenceNames,
  signal?: AbortSignal,
): Promise<Omit<WrittenFacts, 'files'>> {
  const rows = { total: 0, ...noCounts().rows };
  const gap = missing.length > 0 ? { missing: [...missing] } : {};
  const counts = { rows, people: 0, changes: { since, ...gap, ...noChanges() } };
  let taken = 0;
  for (const record of recordsOfRun(records, changes, names)) {
    for (const sink of sinks) {
      const writing = sink.write(record);
      if (writing) await writing;
    }
    const { row, person, change } = record;
    if (row) {
      rows.total += 1;
      rows[row.row.status] += 1;
      if (row.row.isStale) rows.stale += 1;
    }
    if (person) counts.people += 1;
    if (change) counts.changes[change.op] += 1;
    taken += 1;
    if (taken % recordsInTurn === 0) await nextTurn();
    signal?.throwIfAborted();
  }
  return counts;
}

/** Changes belong to one run alone, even where its result is the same as the last one. */
export function onlyChanges({ records, ...changes }: RecordSource): RecordSource {
  return { ...changes, records: { ...records, rows: () => [], hasPeople: false } };
}
