import type { ReferenceNames } from '../contract/reference.ts';
import type { RunRecords } from '../ledger/run-records.ts';
import type { Column, FlatRecord } from './columns.ts';
import {
  companiesColumns,
  type FlatRow,
  flattenRow,
  rejectsColumns,
  toRejectRecord,
} from './flatten-row.ts';
import { mergePeople } from './merge-people.ts';
import {
  changeColumns,
  peopleColumns,
  type RecordedChange,
  toChangeRecord,
} from './table-columns.ts';

/** A row of a run, a person of one of its companies, or a change since an earlier run. */
export interface RunRecord {
  readonly row?: FlatRow | undefined;
  readonly person?: FlatRecord | undefined;
  readonly change?: RecordedChange | undefined;
}

interface TableOfRun {
  /** `headers` are the names of the input's columns. */
  readonly columns: (headers: readonly string[]) => readonly Column[];
  /** Undefined for what does not belong to the table. */
  readonly record: (source: RunRecord) => FlatRecord | undefined;
}

/** The tables of a run: their columns, and the records that belong to them. */
export const tables = {
  companies: { columns: companiesColumns, record: ({ row }) => row?.cells },
  people: { columns: () => peopleColumns, record: ({ person }) => person },
  rejects: { columns: rejectsColumns, record: ({ row }) => row && toRejectRecord(row) },
  changes: {
    columns: () => changeColumns,
    record: ({ change }) => change && toChangeRecord(change),
  },
} as const satisfies Record<string, TableOfRun>;

export type Table = keyof typeof tables;

/** One record at a time: records that wait cost the garbage collector. */
export function* recordsOfRun(
  records: RunRecords,
  changes: Iterable<RecordedChange>,
  names: ReferenceNames,
): Generator<RunRecord> {
  const width = records.inputColumns.length;
  for (const row of records.rows()) yield { row: flattenRow(row, width) };
  if (records.hasPeople) {
    for (const company of records.people()) {
      for (const person of mergePeople(company, names)) yield { person };
    }
  }
  for (const change of changes) yield { change };
}
