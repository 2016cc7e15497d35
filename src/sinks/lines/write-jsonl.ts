import type { Cell, Column } from '../../records/columns/columns.ts';
import type { ByteSink, RecordWriter, TextLines } from '../files/record-writer.ts';
import { writeText } from './write-text.ts';

/** One object a line, every column in its order, types and lists kept. */
export function writeJsonl(sink: ByteSink, columns: readonly Pick<Column, 'name'>[]): RecordWriter {
  return writeText(sink, jsonlLines(columns));
}

export function jsonlLines(columns: readonly Pick<Column, 'name'>[]): TextLines {
  const keys = columns.map(
    ({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name.toWellFormed())}:`,
  );
  const toLine = (cells: readonly Cell[]) => {
    let line = '';
    for (let index = 0; index < keys.length; index += 1) {
      line += keys[index] + jsonCell(cells[index] ?? null);
    }
    return `${line}}\n`;
  };
  return { head: '', toLine };
}

/** Half a surrogate pair becomes U+FFFD, as in CSV and Parquet: readers refuse its escape. */
function jsonCell(cell: Cell): string {
  if (typeof cell === 'string') return JSON.stringify(cell.toWellFormed());
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(jsonCell).join(',')}]`;
  return String(cell);
}
