import { hash } from 'node:crypto';
import type { Cell, Column, ColumnType, FlatRecord } from '../../../core/columns/columns.ts';

export function copyLine(
  columns: readonly Pick<Column, 'name' | 'type'>[],
): (record: FlatRecord) => string {
  const toCells = columns.map(({ name, type }) => keyWriters[name] ?? writers[type]);
  return (record) => {
    let line = '';
    for (let index = 0; index < toCells.length; index += 1) {
      const cell = record[index] ?? null;
      if (index > 0) line += '\t';
      line += cell === null ? noValue : (toCells[index] as CellWriter)(cell);
    }
    return `${line}\n`;
  };
}

const noValue = '\\N';

type CellWriter = (cell: Exclude<Cell, null>) => string;

const writers: Readonly<Record<ColumnType, CellWriter>> = {
  text: (cell) => escaped(storableText(cell as string)),
  // PostgreSQL reads NaN and Infinity as JavaScript writes them.
  integer: String,
  decimal: String,
  boolean: String,
  timestamp: (cell) => (isTimestamp.test(cell as string) ? (cell as string) : noValue),
  list: (cell) => escaped(JSON.stringify((cell as readonly string[]).map(storableText))),
  integers: (cell) => JSON.stringify(cell),
  json: (cell) => escaped(storableJson(cell as string)),
};

const keyWriters: Readonly<Record<string, CellWriter>> = {
  row_key: writeKey,
  row_keys: (cell) => escaped(JSON.stringify((cell as readonly string[]).map(storableKey))),
  company_id: writeKey,
  person_id: writeKey,
  person_key: writeKey,
};

function writeKey(cell: Exclude<Cell, null>) {
  return escaped(storableKey(cell as string));
}

/** PostgreSQL has no year 0 and does not read years after 9999. */
const isTimestamp = /^(?!0000)\d{4}-\d\d-\d\dT/;

const needsEscape = /[\\\t\n\r]/;
const needEscape = /[\\\t\n\r]/g;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** A test is much cheaper than a replacement, and few texts need one. */
function escaped(text: string) {
  return needsEscape.test(text) ? text.replace(needEscape, (sign) => escapes[sign] ?? '') : text;
}

/** PostgreSQL text cannot contain NUL or a lone surrogate. */
export function storableText(text: string): string {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
  return withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed();
}

/** Replaced characters could make two keys equal, so a changed key gets a hash. */
export function storableKey(text: string): string {
  const stored = storableText(text);
  // JSON escapes lone surrogates, so different keys get different hashes.
  return stored === text
    ? text
    : `${stored}~${hash('sha256', JSON.stringify(text), 'hex').slice(0, 16)}`;
}

/** jsonb does not allow NUL. */
export function storableJson(text: string): string {
  return text.includes('\\u0000') ? text.replace(nulEscape, '\\ufffd') : text;
}

const nulEscape = /(?<=(?:^|[^\\])(?:\\\\)*)\\u0000/g;
