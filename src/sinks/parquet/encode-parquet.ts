import type { SchemaElement } from 'hyparquet-writer';
import type { Cell, Column, ColumnType, FlatRecord } from '../../records/columns/columns.ts';

/** A record with its cells in the types of Parquet. */
export interface ParquetRecord {
  readonly values: readonly ParquetValue[];
  /** The length of all its text. */
  readonly characters: number;
}

export type ParquetValue = string | bigint | number | boolean | string[] | bigint[] | null;

type Leaf = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const utf8: Leaf = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
const int64: Leaf = { type: 'INT64' };

/** JSON text is plain text here too: not every reader knows Parquet's own JSON. */
const leaves: Record<Exclude<ColumnType, 'list' | 'integers'>, Leaf> = {
  text: utf8,
  json: utf8,
  integer: int64,
  decimal: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** The columns as Parquet's flat list of a tree: the root, then each column, every one nullable. */
export function schemaElements(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type }: Column): SchemaElement[] {
  if (type === 'list') return listOf(name, utf8);
  if (type === 'integers') return listOf(name, int64);
  return [{ name, repetition_type: 'OPTIONAL', ...leaves[type] }];
}

function listOf(name: string, element: Leaf): SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...element },
  ];
}

/** Gives cells the types that the library wants: INT64 only as bigint. */
export function encodeParquet(
  columns: readonly Pick<Column, 'type'>[],
): (records: readonly FlatRecord[]) => ParquetRecord[] {
  return (records) =>
    records.map((record) => ({
      values: columns.map(({ type }, index) => converters[type](record[index] ?? null)),
      characters: textLength(record),
    }));
}

function textLength(record: FlatRecord): number {
  let length = 0;
  for (const cell of record) {
    if (typeof cell === 'string') length += cell.length;
    else if (typeof cell === 'object' && cell !== null) length += cell.join('').length;
  }
  return length;
}

const asIs = (cell: Cell) => cell as ParquetValue;

const converters: Record<ColumnType, (cell: Cell) => ParquetValue> = {
  text: asIs,
  json: asIs,
  decimal: asIs,
  boolean: asIs,
  list: asIs,
  integer: (cell) => (cell === null ? null : BigInt(cell as number)),
  integers: (cell) => (cell === null ? null : (cell as number[]).map(BigInt)),
  timestamp: (cell) => toMilliseconds(cell as string | null),
};

function toMilliseconds(time: string | null): bigint | null {
  const milliseconds = time === null ? Number.NaN : Date.parse(time);
  return Number.isNaN(milliseconds) ? null : BigInt(milliseconds);
}
