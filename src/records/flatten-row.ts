import { nameNetwork } from '../contract/network-name.ts';
import type { RowRecord } from '../ledger/run-records.ts';
import { jsonText } from '../runtime/json/json-text.ts';
import { type Cell, type Column, type FlatRecord, positionOf } from './columns/columns.ts';
import { companyColumns, companyFields } from './columns/company-columns.ts';
import { inputColumns, rowColumns } from './columns/row-columns.ts';
import { flattenObject } from './flatten/flatten-object.ts';

/** A row with its records. */
export interface FlatRow {
  readonly row: RowRecord;
  /** Its record in companies.*. */
  readonly cells: FlatRecord;
}

/** Only here a row becomes records. `inputWidth` is the number of columns that the input has. */
export function flattenRow(row: RowRecord, inputWidth: number): FlatRow {
  const cells = new Array<Cell>(inputOffset + inputWidth).fill(null);
  for (const [position, { value }] of rowColumns.entries()) cells[position] = value(row);
  for (let index = 0; index < inputWidth; index += 1) {
    cells[inputOffset + index] = row.cells[index] ?? null;
  }
  fillCompany(row.company, cells, companyOffset);
  return { row, cells };
}

/** The columns of companies.*: ours, the company's, the input's, so that a new one of these moves nothing. */
export function companiesColumns(headers: readonly string[]): Column[] {
  return [...rowColumns, ...companyColumns, ...inputColumns(headers)];
}

/** Where the company begins in a record of companies.*. */
export const companyOffset = rowColumns.length;

/** Where the columns of the input begin in it. */
export const inputOffset = companyOffset + companyColumns.length;

const extraPosition = positionOf(companyColumns, 'company_extra');

/**
 * Puts a company as the service answered it into cells that are null, from `offset` on, in the order
 * of `companyColumns`.
 */
export function fillCompany(company: unknown, cells: Cell[], offset: number): void {
  const extra = flattenObject(companyFields, nameNetwork(company), cells, offset);
  if (extra !== undefined) cells[offset + extraPosition] = jsonText(extra);
}
