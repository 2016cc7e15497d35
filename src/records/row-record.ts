import type { RowRecord } from '../ledger/run-records.ts';
import {
  type Cell,
  type Column,
  companyColumns,
  type FlatRecord,
  inputColumns,
  rowColumns,
} from './columns/columns.ts';
import type { Drift } from './flatten/drift.ts';
import { fillCompany } from './flatten/flatten-company.ts';

/** The columns of companies.*: ours, the input's, the company's. */
export function rowRecordColumns(headers: readonly string[]): Column[] {
  return [...rowColumns, ...inputColumns(headers), ...companyColumns];
}

/** A row as companies.* holds it, and where its company differs from the interface. */
export interface FlatRow {
  readonly cells: FlatRecord;
  readonly drifts: readonly Drift[];
}

/** One row of companies.*; `inputWidth` is the number of columns that the input has. */
export function flattenRow(row: RowRecord, inputWidth: number): FlatRow {
  const companyOffset = rowColumns.length + inputWidth;
  const cells = new Array<Cell>(companyOffset + companyColumns.length).fill(null);
  cells[0] = row.number;
  cells[1] = row.status;
  cells[2] = row.reason;
  cells[3] = row.message;
  cells[4] = row.matchedBy;
  cells[5] = row.identifier;
  cells[6] = row.match;
  cells[7] = row.country;
  cells[8] = row.fetchedAt;
  for (let index = 0; index < inputWidth; index += 1) {
    cells[rowColumns.length + index] = row.cells[index] ?? null;
  }
  return { cells, drifts: fillCompany(row.company, cells, companyOffset) };
}
