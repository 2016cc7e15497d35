import type { InputRow } from './input-row.ts';

/** Gathers what was guessed while a list is read, so that it can be told. */
export interface ReadingNotes {
  onTitle(rows: number): void;
  /** The first row looks like data, so that nothing names the columns. */
  onNoHeader(): void;
  /** Text from this line on is read as windows-1252. */
  onGuess(line: number): void;
  notes(): readonly string[];
  guessedEncoding(): string | undefined;
}

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
