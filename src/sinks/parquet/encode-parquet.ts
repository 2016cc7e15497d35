import type { Cell, Column, ColumnType, FlatRecord } from '../../records/columns/columns.ts';

/** A record with its cells in the types of Parquet. */
export interface ParquetRecord {
  readonly values: readonly ParquetValue[];
  /** The length of all its text. */
  readonly characters: number;
}

export type ParquetValue = string | bigint | number | boolean | string[] | bigint[] | null;

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
