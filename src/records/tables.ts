import { changeColumns, toChangeRecord } from './columns/change-columns.ts';
import type { Column, FlatRecord } from './columns/columns.ts';
import { peopleColumns } from './columns/people-columns.ts';
import { companiesColumns } from './flatten-row.ts';
import type { RecordBatch } from './record-batch.ts';
import { rejectsColumns } from './reject-record.ts';

interface TableOfRun {
  /** `headers` are the names of the input's columns. */
  readonly columns: (headers: readonly string[]) => readonly Column[];
  readonly records: (batch: RecordBatch) => readonly FlatRecord[];
}

/** The tables of a run: their columns, and the records of a batch that belong to them. */
export const tables = {
  companies: { columns: companiesColumns, records: ({ rows }) => rows.map(({ cells }) => cells) },
  people: { columns: () => peopleColumns, records: ({ people }) => people },
  rejects: {
    columns: rejectsColumns,
    records: ({ rows }) =>
      rows.map(({ reject }) => reject).filter((reject) => reject !== undefined),
  },
  changes: { columns: () => changeColumns, records: ({ changes }) => changes.map(toChangeRecord) },
} as const satisfies Record<string, TableOfRun>;

export type Table = keyof typeof tables;
