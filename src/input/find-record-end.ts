export interface Dialect {
  /** One character; undefined where the file has one column. */
  readonly delimiter: string | undefined;
  /** A carriage return before a line feed belongs to the line end. */
  readonly lineEnd: '\n' | '\r';
}

export interface FoundEnd {
  readonly kind: 'found';
  /** Where the line end begins. */
  readonly end: number;
  /** There is text after a closing quote. */
  readonly isIrregular: boolean;
  /** There is a quote inside an unquoted cell, harmless within one line. */
  readonly hasLooseQuote: boolean;
}

export type RecordEnd =
  | FoundEnd
  /** The quote that opened at `openedAt` has not closed by the end of the text. */
  | { readonly kind: 'unclosed'; readonly openedAt: number }
  /** The text ends before the record does, or where it cannot be told. */
  | { readonly kind: 'cut' };

/**
 * Finds where the record that begins at `start` ends. A quote opens a cell only as its first
 * character (`5" pipe` is text) and closes it before a delimiter or a line end, spaces allowed.
 * Text after a closing quote belongs to the cell and is read as plain text, as csv-parse does.
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

/** Counts the cells of one line, as far as its quotes close within it. */
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
    // A quote at the very end may be the first half of a doubled one.
    if (at + 1 === text.length && !isLast) return 'cut';
    if (text[at + 1] !== '"') return at;
    at += 2;
  }
}

function endsCell(text: string, at: number, { delimiter, lineEnd }: Dialect): boolean {
  if (text[at] === delimiter || text[at] === lineEnd) return true;
  return lineEnd === '\n' && text[at] === '\r' && (text[at + 1] ?? '\n') === '\n';
}
