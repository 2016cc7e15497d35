import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReferenceNames } from '../contract/reference.ts';
import type { RunRecords } from '../ledger/run-records.ts';
import { noChanges } from '../records/changes.ts';
import type { RecordedChange } from '../records/table-columns.ts';
import { recordsOfRun } from '../records/tables.ts';
import type { RecordCounts } from './manifest.ts';
import type { ExportSummary, RecordSink } from './sink.ts';

/** The records of a run. */
export interface RecordSource {
  readonly records: RunRecords;
  /** What differs from an earlier run; absent where there is none to compare with. */
  readonly changes?: Iterable<RecordedChange> | undefined;
}

/** Other work of the process has its turn after so many records. */
const recordsInTurn = 64;

/** Writes every row, in the order of the input, then people and changes, each to all sinks. */
export async function writeRecords(
  { records, changes = [] }: RecordSource,
  sinks: readonly RecordSink[],
  names: ReferenceNames,
  signal?: AbortSignal,
): Promise<RecordCounts> {
  const counts = noRecords();
  let taken = 0;
  for (const record of recordsOfRun(records, changes, names)) {
    for (const sink of sinks) {
      const writing = sink.write(record);
      if (writing) await writing;
    }
    const { row, person, change } = record;
    if (row) {
      counts.rows += 1;
      counts[row.row.status] += 1;
      if (row.row.isStale) counts.stale += 1;
    }
    if (person) counts.people += 1;
    if (change) counts.changes[change.op] += 1;
    taken += 1;
    if (taken % recordsInTurn === 0) await nextTurn();
    signal?.throwIfAborted();
  }
  return counts;
}

/** What changed is of this run alone, though the result may be the same as in the last one. */
export function onlyChanges({ records, changes }: RecordSource): RecordSource {
  return { records: { ...records, rows: () => [], hasPeople: false }, changes };
}

export function noRecords(): RecordCounts {
  const rows = { rows: 0, matched: 0, not_found: 0, invalid: 0, failed: 0, open: 0, stale: 0 };
  return { ...rows, people: 0, changes: noChanges() };
}

/** The summary of a place that keeps what it has; `why` is the sentence. */
export function leftAsItIs(
  folder: string,
  changesSince: string | null,
  why: string,
): ExportSummary & { readonly notLoaded: string } {
  return {
    folder,
    changesSince,
    isSame: false,
    tally: undefined,
    counts: noRecords(),
    files: [],
    unchanged: [],
    removed: [],
    notLoaded: why,
  };
}
