import { DossierError } from '../core/errors.ts';
import type { Reading } from '../core/identify/identifier.ts';
import { judgeValue } from '../core/identify/identify-row.ts';

/** One row of the list, whatever its format. */
export interface InputRow {
  /** Counted from 1, the header not included. */
  readonly number: number;
  /** The line of the file where the row starts, from 1; in a workbook, the row of the sheet. */
  readonly line: number;
  /** Aligned with the columns; undefined where the row has no such cell. */
  readonly cells: readonly (string | undefined)[];
  /** Why the row cannot be trusted. `cells` then holds what could be read. */
  readonly problem?: string | undefined;
}

/** What the reader of one format returns: the columns at once, the rows as they are read. */
export interface InputTable {
  /** Grows while rows are read: with new keys in JSON lines, with wider rows in a sheet. */
  readonly columns: readonly string[];
  /** False when the first row is data and the columns are called column_1, column_2 … */
  readonly hasHeader: boolean;
  /** The line of a CSV file, or row of a sheet, that names the columns; undefined where none does. */
  readonly headerLine?: number | undefined;
  /** What separates the columns of a CSV file, given or found. */
  readonly delimiter?: string | undefined;
  /** Rows above the column names that were skipped as a title. */
  readonly titleRows: number;
  /** Columns of bytes that no cell can hold. */
  readonly leftOut?: readonly string[];
  /** Each batch holds the rows that have been read so far, so no row waits for a later one. A row of its own would need a promise. */
  readonly batches: AsyncGenerator<readonly InputRow[]>;
}

/** The sheet of a workbook that is read as the list. */
export interface SheetChoice {
  readonly name: string;
  /** The other sheets that are not hidden. */
  readonly others: readonly string[];
}

/** Ends a message about a sheet without a list: the list may be on another sheet. */
export function sheetHint(sheet: SheetChoice | undefined): string {
  if (sheet === undefined || sheet.others.length === 0) return '';
  const others = sheet.others.map((name) => JSON.stringify(name)).join(', ');
  return `\nThis is the sheet ${JSON.stringify(sheet.name)}; choose another with --sheet: ${others}`;
}

/** Finds a column that the command line names. */
export function findColumn(
  { name: input, columns }: { readonly name: string; readonly columns: readonly string[] },
  wanted: string,
): { readonly index: number; readonly column: string } {
  const index = indexOfColumn(columns, wanted);
  const column = columns[index];
  if (column !== undefined) return { index, column };
  throw new DossierError(
    'USAGE',
    `${input} has no column ${JSON.stringify(wanted)}; it has ${listedColumns(columns)}`,
  );
}

/** The column of this name; where there is none, one that differs only in capitals. -1 where neither is. */
export function indexOfColumn(columns: readonly string[], wanted: string): number {
  const exact = columns.indexOf(wanted);
  if (exact !== -1) return exact;
  const fold = (text: string) => text.trim().toLowerCase();
  return columns.findIndex((name) => fold(name) === fold(wanted));
}

export function listedColumns(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(', ') || 'none';
}

const mostNamed = 5;

/** Gathers what was guessed while a list is read, in sentences for people. */
export function openReadingNotes(name: string) {
  const notes: string[] = [];
  let encoding: string | undefined;
  return {
    /** A job with `header: false` needs no note about a missing header. */
    onTable(
      { titleRows, hasHeader, leftOut = [] }: Omit<InputTable, 'batches'>,
      header: boolean | undefined,
    ) {
      if (titleRows > 0) {
        const skipped =
          titleRows === 1
            ? 'one row above the column names is'
            : `${titleRows} rows above the column names are`;
        notes.push(
          `${name}: ${skipped} skipped as a title; --header-row or input.headerRow names the row of column names.`,
        );
      }
      if (!hasHeader && header === undefined) {
        notes.push(
          `${name}: the first row looks like data, so the columns are named column_1, column_2 and so on; --header-row or input.headerRow names a row of column names.`,
        );
      }
      if (leftOut.length > 0) {
        const shown = leftOut.slice(0, mostNamed).map((column) => JSON.stringify(column));
        const others = leftOut.length - shown.length;
        const more = others > 0 ? ` and ${others} more` : '';
        notes.push(
          `${name}: left out, as they hold bytes and no text: ${shown.join(', ')}${more}; if they are text, write them as such.`,
        );
      }
    },
    /** Text from this line on is read as windows-1252. */
    onGuess(line: number) {
      encoding = 'windows-1252';
      notes.push(
        `${name} is not UTF-8 (line ${line}) and is read as ${encoding}; --encoding or input.encoding names another. Rows whose identifiers depend on it are rejected.`,
      );
    },
    notes: (): readonly string[] => notes,
    guessedEncoding: () => encoding,
  };
}

const beyondAscii = /[^\0-\x7f]/g;
/** Spreadsheets group digits with it. It is no part of a number. */
const spaceInNumber = /(?<=[\d\s])\xa0(?=[\d\s])/g;

/** Why an identifying cell cannot be trusted: in another encoding than the guessed one it would mean something else. */
export function guessProblem(
  { line, cells }: Pick<InputRow, 'line' | 'cells'>,
  identifying: readonly { readonly index: number; readonly as: Reading | 'country' }[],
  encoding: string | undefined,
): string | undefined {
  if (encoding === undefined) return undefined;
  const found = identifying.find(({ index, as }) => {
    const cell = (cells[index] ?? '').trim().replaceAll(spaceInNumber, ' ');
    const other = cell.replaceAll(beyondAscii, 'ø');
    if (other === cell) return false;
    return JSON.stringify(judgeValue(cell, as)) !== JSON.stringify(judgeValue(other, as));
  });
  if (!found) return undefined;
  const cell = JSON.stringify(cells[found.index]);
  return `line ${line}: ${cell} was read as ${encoding}, which is a guess; set --encoding or input.encoding to take it`;
}
