import type { InputRow, InputTable } from './input-row.ts';

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
          `${name}: the first row looks like data, so that the columns are called column_1, column_2 and so on; --header-row or input.headerRow names a row of column names.`,
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
        `${name} is not UTF-8 (line ${line}) and is read as ${encoding}; --encoding or input.encoding names another. Rows whose identifiers are not plain ASCII are rejected.`,
      );
    },
    notes: (): readonly string[] => notes,
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
