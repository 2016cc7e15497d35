import type { Cell, Column, ColumnType, FlatRecord } from '../../../records/columns/columns.ts';
import { type EncodedLines, encodeLines } from '../../lines/encode-lines.ts';
import { storableJson, storableKey, storableText } from './storable-text.ts';

/** Records as lines of PostgreSQL's COPY in its text format. */
export function encodeCopy(
  columns: readonly Pick<Column, 'name' | 'type'>[],
): (records: readonly FlatRecord[]) => EncodedLines {
  const toCells = columns.map(({ name, type }) => keyWriters[name] ?? writers[type]);
  const toLine = (record: FlatRecord): string => {
    let line = '';
    for (let index = 0; index < toCells.length; index += 1) {
      const cell = record[index] ?? null;
      if (index > 0) line += '\t';
      line += cell === null ? noValue : (toCells[index] as CellWriter)(cell);
    }
    return `${line}\n`;
  };
  return (records) => encodeLines(records, toLine);
}

const noValue = '\\N';

type CellWriter = (cell: Exclude<Cell, null>) => string;

const writers: Readonly<Record<ColumnType, CellWriter>> = {
  text: (cell) => escaped(storableText(cell as string)),
  // NaN and Infinity are written as PostgreSQL reads them.
  integer: String,
  decimal: String,
  boolean: String,
  timestamp: (cell) => (isTimestamp.test(cell as string) ? (cell as string) : noValue),
  list: (cell) => escaped(JSON.stringify((cell as readonly string[]).map(storableText))),
  integers: (cell) => JSON.stringify(cell),
  json: (cell) => escaped(storableJson(cell as string)),
};

/** Columns that tell records apart, or by which they find each other. Those of a list have other names. */
const keyWriters: Readonly<Record<string, CellWriter>> = {
  row_key: writeKey,
  row_keys: (cell) => escaped(JSON.stringify((cell as readonly string[]).map(storableKey))),
  company_id: writeKey,
  person_id: writeKey,
  person_key: writeKey,
};

function writeKey(cell: Exclude<Cell, null>): string {
  return escaped(storableKey(cell as string));
}

/** PostgreSQL has no year 0, and another notation than ISO 8601 for those after 9999. */
const isTimestamp = /^(?!0000)\d{4}-\d\d-\d\dT/;

const needsEscape = /[\\\t\n\r]/;
const needEscape = /[\\\t\n\r]/g;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** Most cells have nothing to escape, and a test takes a fraction of a replacement. */
function escaped(text: string): string {
  return needsEscape.test(text) ? text.replace(needEscape, (sign) => escapes[sign] ?? '') : text;
}
