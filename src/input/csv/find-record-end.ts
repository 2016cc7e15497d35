export interface Dialect {
  /** One character; undefined when the file has only one column. */
  readonly delimiter: string | undefined;
  /** `\n` also stands for `\r\n`. */
  readonly lineEnd: '\n' | '\r';
}

export interface FoundEnd {
  readonly kind: 'found';
  /** Offset of the line end. */
  readonly end: number;
  /** A cell has text after its closing quote. */
  readonly isIrregular: boolean;
  /** An unquoted cell contains a quote, which is harmless when the record is one line. */
  readonly hasLooseQuote: boolean;
}

export type RecordEnd =
  | FoundEnd
  /** The quote that opens at `openedAt` does not close before the text ends. */
  | { readonly kind: 'unclosed'; readonly openedAt: number }
  /** More text is needed to find the end. */
  | { readonly kind: 'cut' };

/**
 * Finds the end of the CSV record that begins at `start`. A quote opens a cell only as its first
 * character: `5" pipe` is text. It closes the cell before a delimiter or a line end; spaces may
 * stand between. Other text after a closing quote belongs to the cell, as in csv-parse. `isLast`
 * says that no text follows.
 */
export function findRecordEnd(
  text: string,
  start: number,
  dialect: Dialect,
  isLast: boolean,
): RecordEnd {
  let at = start;
  let isIrregular = false;
  let hasLooseQuote = false;
  for (;;) {
    if (text[at] === '"') {
      const closedAt = findClosingQuote(text, at, isLast);
      if (closedAt === 'cut') return { kind: 'cut' };
      if (closedAt === -1) return { kind: 'unclosed', openedAt: at };
      at = closedAt + 1;
      while (text[at] === ' ') at += 1;
      if (at >= text.length && !isLast) return { kind: 'cut' };
      isIrregular ||= at < text.length && !endsCell(text, at, dialect);
    }
    while (at < text.length && text[at] !== dialect.delimiter && text[at] !== dialect.lineEnd) {
      hasLooseQuote ||= text[at] === '"';
      at += 1;
    }
    if (at >= text.length && !isLast) return { kind: 'cut' };
    if (at >= text.length || text[at] === dialect.lineEnd) {
      return { kind: 'found', end: at, isIrregular, hasLooseQuote };
    }
    at += 1;
  }
}

/** Counts the cells of one line. A quote that does not close within the line is plain text. */
export function countCells(line: string, dialect: Dialect): number {
  if (dialect.delimiter === undefined) return 1;
  let cells = 0;
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') {
      const closedAt = findClosingQuote(line, at, true);
      if (closedAt !== 'cut' && closedAt !== -1) at = closedAt + 1;
    }
    const next = line.indexOf(dialect.delimiter, at);
    at = next === -1 ? line.length : next;
    cells += 1;
  }
  return cells;
}

function findClosingQuote(text: string, openedAt: number, isLast: boolean): number | 'cut' {
  let at = openedAt + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) return -1;
    // A quote at the end of the text may be the first half of a doubled quote.
    if (at + 1 === text.length && !isLast) return 'cut';
    if (text[at + 1] !== '"') return at;
    at += 2;
  }
}

function endsCell(text: string, at: number, { delimiter, lineEnd }: Dialect): boolean {
  if (text[at] === delimiter || text[at] === lineEnd) return true;
  return lineEnd === '\n' && text[at] === '\r' && (text[at + 1] ?? '\n') === '\n';
}
