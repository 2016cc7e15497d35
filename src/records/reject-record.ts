import { type Column, type FlatRecord, ownColumn } from './columns/columns.ts';
import { rejectColumns } from './columns/row-columns.ts';
import { makeUnique } from './columns/snake-case.ts';
import { type FlatRow, inputOffset } from './flatten-row.ts';

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
