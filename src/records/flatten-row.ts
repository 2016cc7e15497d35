import { nameNetwork } from '../contract/network-name.ts';
import type { RowRecord } from '../ledger/run-records.ts';
import { jsonText } from '../runtime/json/json-text.ts';
import {
  type Cell,
  type Column,
  type FlatRecord,
  makeUnique,
  ownColumn,
  positionOf,
} from './columns.ts';
import { flattenObject } from './flatten-answer.ts';
import {
  companyColumns,
  companyFields,
  inputColumns,
  rejectColumns,
  rowColumns,
} from './table-columns.ts';

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
const inputOffset = companyOffset + companyColumns.length;

const extraPosition = positionOf(companyColumns, 'company_extra');

/**
 * Puts a company as the service answered it into cells that are null, from `offset` on, in the order
 * of `companyColumns`.
 */
export function fillCompany(company: unknown, cells: Cell[], offset: number): void {
  const extra = flattenObject(companyFields, nameNetwork(company), cells, offset);
  if (extra !== undefined) cells[offset + extraPosition] = jsonText(extra);
}

/**
 * The columns of rejects.*: the input's own first, under their own names and in their own order,
 * so that the mended file can be run as it is; then ours. Where the input has a `status` itself,
 * as a rejects file that is run again does, ours is `status_2`.
 */
export function rejectsColumns(headers: readonly string[]): Column[] {
  const ours = makeUnique(
    rejectColumns.map(({ name }) => name),
    { taken: headers },
  );
  return [
    ...headers.map((name) => ownColumn(name, 'text', `Column \`${name}\` of the input.`)),
    ...rejectColumns.map((column, index) => ({ ...column, name: ours[index] ?? column.name })),
  ];
}

/** The record of rejects.*; undefined for a row that has a company, or is still to be asked for. */
export function toRejectRecord({ row, cells }: FlatRow): FlatRecord | undefined {
  // The status decides: a row whose answer is damaged in the ledger has failed.
  if (row.status === 'matched' || row.status === 'open') return undefined;
  return [...cells.slice(inputOffset), ...rejectColumns.map(({ value }) => value(row))];
}
