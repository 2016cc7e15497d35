import type { Cell, Column, FlatRecord } from '../../records/columns/columns.ts';
import { type EncodedLines, encodeLines } from './encode-lines.ts';

/** One object a line, every column in its order, types and lists kept. */
export function encodeJsonl(
  columns: readonly Pick<Column, 'name'>[],
): (records: readonly FlatRecord[]) => EncodedLines {
  const keys = columns.map(
    ({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name.toWellFormed())}:`,
  );
  const toLine = (cells: FlatRecord) => {
    let line = '';
    for (let index = 0; index < keys.length; index += 1) {
      line += keys[index] + jsonCell(cells[index] ?? null);
    }
    return `${line}}\n`;
  };
  return (records) => encodeLines(records, toLine);
}

/** Half a surrogate pair becomes U+FFFD, as in CSV and Parquet: readers refuse its escape. */
function jsonCell(cell: Cell): string {
  if (typeof cell === 'string') return JSON.stringify(cell.toWellFormed());
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(jsonCell).join(',')}]`;
  return String(cell);
}
