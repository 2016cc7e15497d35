import type { InputRow } from './input-row.ts';

/** Gathers what was guessed while a list is read, so that it can be told. */
export interface ReadingNotes {
  onTitle(rows: number): void;
  /** The first row looks like data, so that nothing names the columns. */
  onNoHeader(): void;
  /** Columns of bytes that no cell can hold. */
  onLeftOut(columns: readonly string[]): void;
  /** Text from this line on is read as windows-1252. */
  onGuess(line: number): void;
  notes(): readonly string[];
  guessedEncoding(): string | undefined;
}

const mostNamed = 5;

export function openReadingNotes(name: string): ReadingNotes {
  const notes: string[] = [];
  let encoding: string | undefined;
  return {
    onTitle(rows) {
      if (rows === 0) return;
      const what = rows === 1 ? 'one row' : `${rows} rows`;
      notes.push(
        `${name}: ${what} above the column names ${rows === 1 ? 'is' : 'are'} skipped as a title; --header-row or input.headerRow names the row of column names.`,
      );
    },
    onNoHeader() {
      notes.push(
        `${name}: the first row looks like data, so that the columns are called column_1, column_2 and so on; --header-row or input.headerRow names a row of column names.`,
      );
    },
    onLeftOut(columns) {
      if (columns.length === 0) return;
      const shown = columns.slice(0, mostNamed).map((column) => JSON.stringify(column));
      const others = columns.length - shown.length;
      const listed = shown.join(', ') + (others > 0 ? ` and ${others} more` : '');
      notes.push(
        columns.length === 1
          ? `${name}: the column ${listed} is left out, as it holds bytes and no text; if it is text, write it as such.`
          : `${name}: the columns ${listed} are left out, as they hold bytes and no text; if they are text, write them as such.`,
      );
    },
    onGuess(line) {
      encoding = 'windows-1252';
      notes.push(
        `${name} is not UTF-8 (line ${line}) and is read as ${encoding}; --encoding or input.encoding names another. Rows whose identifiers are not plain ASCII are rejected.`,
      );
    },
    notes: () => notes,
    guessedEncoding: () => encoding,
  };
}

const beyondAscii = /[^\0-\x7f]/;

/** Why an identifying cell cannot be trusted that was read in a guessed encoding. */
export function guessProblem(
  { line, cells }: Pick<InputRow, 'line' | 'cells'>,
  identifying: readonly { readonly index: number }[],
  encoding: string | undefined,
): string | undefined {
  if (encoding === undefined) return undefined;
  const found = identifying.find(({ index }) => beyondAscii.test(cells[index] ?? ''));
  if (!found) return undefined;
  const cell = JSON.stringify(cells[found.index]);
  return `line ${line}: ${cell} was read as ${encoding}, which is a guess; set --encoding or input.encoding to take it`;
}
