import { parse } from 'csv-parse/sync';
import type { Dialect } from './find-record-end.ts';
import type { RawRecord } from './split-records.ts';

/**
 * Splits CSV records into cells. It takes a batch, because setting up csv-parse costs more than
 * parsing one record. All records are whole, so a quote in one cannot affect another.
 */
export function parseCells(records: readonly RawRecord[], dialect: Dialect): string[][] {
  const quoted = records.filter(({ isPlain }) => !isPlain).map(({ text }) => text);
  const parsed = quoted.length > 0 ? parseTexts(quoted, dialect) : [];
  let next = 0;
  return records.map(({ isPlain, text }) => {
    if (isPlain) return splitPlain(text, dialect);
    next += 1;
    return parsed[next - 1] ?? [];
  });
}

/** Writes cells as they stand in a record. */
export function joinCells(cells: readonly string[], { delimiter = ',' }: Dialect): string {
  const isQuoted = (cell: string) => /["\r\n]/.test(cell) || cell.includes(delimiter);
  return cells
    .map((cell) => (isQuoted(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(delimiter);
}

function splitPlain(text: string, { delimiter }: Dialect): string[] {
  if (text === '') return [];
  return delimiter === undefined ? [text] : text.split(delimiter);
}

function parseTexts(texts: readonly string[], { delimiter, lineEnd }: Dialect): string[][] {
  return parse(texts.join(lineEnd), {
    delimiter: delimiter === undefined ? [] : delimiter,
    record_delimiter: lineEnd,
    relax_quotes: true,
    relax_column_count: true,
  });
}
