import { DossierError } from '../core/errors.ts';
import { type CellUse, identifyValue } from '../core/identify/identify-row.ts';
import { fromHere } from '../platform/files/local-path.ts';

export interface InputRow {
  /** From 1, without the header. */
  readonly number: number;
  /** Line of the file, row of the sheet or element of the array, from 1. */
  readonly line: number;
  readonly cells: readonly (string | undefined)[];
  readonly problem?: string | undefined;
}

export interface InputTable {
  /** Grows during reading, when JSON lines have new keys or a sheet has wider rows. */
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  readonly headerLine?: number | undefined;
  readonly delimiter?: string | undefined;
  readonly titleRows: number;
  /** Columns of bytes, which cannot become text. */
  readonly byteColumns?: readonly string[];
  /** A promise for each row would be slow. A batch never waits for later input. */
  readonly batches: AsyncGenerator<readonly InputRow[]>;
}

export interface SheetChoice {
  readonly name: string;
  readonly others: readonly string[];
  /** Those of the others that have identifiers, so each may be a list of its own. */
  readonly lists: readonly string[];
}

export function sheetHint(sheet: SheetChoice | undefined): string {
  if (sheet === undefined || sheet.others.length === 0) return '';
  const others = sheet.others.map((name) => JSON.stringify(name)).join(', ');
  return `\nThis is the sheet ${JSON.stringify(sheet.name)}; choose another with --sheet: ${others}`;
}

function sheetText({ name, lists }: SheetChoice) {
  const read = `the list is read from the sheet ${JSON.stringify(name)}.`;
  if (lists.length === 0) return read;
  const others = listedColumns(lists);
  return `${read} Identifiers are also in ${others}: with --sheet, each is a list with its own result.`;
}

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

export function indexOfColumn(columns: readonly string[], wanted: string): number {
  const exact = columns.indexOf(wanted);
  if (exact !== -1) return exact;
  const fold = (text: string) => text.trim().toLowerCase();
  return columns.findIndex((name) => fold(name) === fold(wanted));
}

export function listedColumns(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(', ') || 'none';
}

export function createReadingNotes(path: string) {
  const name = fromHere(path);
  const notes: string[] = [];
  const guesses: string[] = [];
  let encoding: string | undefined;
  const noteGuess = (note: string) => {
    notes.push(note);
    guesses.push(note);
  };
  return {
    onTable(
      table: Omit<InputTable, 'batches'> & { readonly sheet?: SheetChoice | undefined },
      header: boolean | undefined,
    ) {
      const { titleRows, hasHeader, byteColumns = [], sheet } = table;
      if (sheet && sheet.others.length > 0) noteGuess(`${name}: ${sheetText(sheet)}`);
      if (titleRows > 0) {
        const skipped =
          titleRows === 1
            ? 'one row above the column names is'
            : `${titleRows} rows above the column names are`;
        notes.push(
          `${name}: ${skipped} skipped as a title; to choose another row of column names, set --header-row or input.headerRow.`,
        );
      }
      if (!hasHeader && header === undefined) {
        noteGuess(
          `${name}: the first row looks like data, so the columns are named column_1, column_2 and so on; if a row has the names, set --header-row or input.headerRow.`,
        );
      }
      if (byteColumns.length > 0) {
        notes.push(
          `${name}: columns left out, because their type is bytes, not text: ${listedColumns(byteColumns)}; save text with a text type.`,
        );
      }
    },
    onGuess(line: number) {
      encoding = 'windows-1252';
      noteGuess(
        `${name} is not UTF-8 (line ${line}), so it is read as ${encoding}, as Excel saves CSV. Rows whose identifier has an accent are rejected until you confirm that with --encoding ${encoding} (input.encoding in a job).`,
      );
    },
    notes: (): readonly string[] => notes,
    guesses,
    guessedEncoding: () => encoding,
  };
}

const beyondAscii = /[^\0-\x7f]/g;
/** Spreadsheets group digits with non-breaking spaces. */
const spaceInNumber = /(?<=[\d\s])\xa0(?=[\d\s])/g;

/** Checks whether a different encoding would turn a cell into a different identifier. */
export function guessProblem(
  { line, cells }: Pick<InputRow, 'line' | 'cells'>,
  identifying: readonly { readonly index: number; readonly as: CellUse }[],
  encoding: string | undefined,
): string | undefined {
  if (encoding === undefined) return undefined;
  const found = identifying.find(({ index, as }) => {
    const cell = (cells[index] ?? '').trim().replaceAll(spaceInNumber, ' ');
    const other = cell.replaceAll(beyondAscii, 'ø');
    if (other === cell) return false;
    return JSON.stringify(identifyValue(cell, as)) !== JSON.stringify(identifyValue(other, as));
  });
  if (!found) return undefined;
  const cell = JSON.stringify(cells[found.index]);
  return `line ${line}: ${cell} was read as ${encoding}, a guess; confirm it with --encoding ${encoding} (input.encoding in a job), or name another`;
}
