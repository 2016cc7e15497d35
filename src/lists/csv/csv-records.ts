import { parse } from 'csv-parse/sync';
import { invalid } from '../list-errors.ts';

export interface Dialect {
  readonly delimiter: string | undefined;
  /** `\n` also covers `\r\n`. */
  readonly lineEnd: '\n' | '\r';
}

type ScannedRecord =
  | {
      readonly kind: 'found';
      readonly end: number;
      readonly cells: number;
      readonly hasTextAfterQuote: boolean;
      /** As in `5" pipe` or `"a" b"`. */
      readonly hasInnerQuote: boolean;
    }
  | { readonly kind: 'unclosed'; readonly openedAt: number }
  | { readonly kind: 'cut' };

/** Only the first character of a cell can open a quote. With `line`, the quote need not close. */
export function scanRecord(
  text: string,
  start: number,
  { delimiter, lineEnd }: Dialect,
  textEnd: 'chunk' | 'file' | 'line',
): ScannedRecord {
  const isLast = textEnd !== 'chunk';
  let hasTextAfterQuote = false;
  let hasInnerQuote = false;
  let from = start;
  for (let cells = 1; ; cells += 1) {
    const closedAt = text[from] === '"' ? findClosingQuote(text, from, isLast) : -1;
    if (closedAt === 'cut') return { kind: 'cut' };
    const isQuoted = closedAt !== -1;
    if (text[from] === '"' && !isQuoted && textEnd !== 'line') {
      return { kind: 'unclosed', openedAt: from };
    }
    let at = isQuoted ? closedAt + 1 : from;
    while (at < text.length && text[at] !== delimiter && text[at] !== lineEnd) {
      hasInnerQuote ||= text[at] === '"';
      at += 1;
    }
    if (at >= text.length && !isLast) return { kind: 'cut' };
    const isEnd = at >= text.length || text[at] === lineEnd;
    const cellEnd = isEnd && lineEnd === '\n' && text[at - 1] === '\r' && at > from ? at - 1 : at;
    hasTextAfterQuote ||= isQuoted && /[^ ]/.test(text.slice(closedAt + 1, cellEnd));
    if (isEnd) return { kind: 'found', end: at, cells, hasTextAfterQuote, hasInnerQuote };
    from = at + 1;
  }
}

interface RecordText {
  readonly text: string;
  readonly isPlain: boolean;
}

/** csv-parse takes 10 µs for ten plain cells, a split 3 µs, so only quoted records go there. */
export function parseCells(
  records: readonly RecordText[],
  { delimiter, lineEnd }: Dialect,
): string[][] {
  const quoted = records.filter(({ isPlain }) => !isPlain).map(({ text }) => text);
  const parsed: string[][] =
    quoted.length === 0
      ? []
      : parse(quoted.join(lineEnd), {
          delimiter: delimiter ?? [],
          record_delimiter: lineEnd,
          relax_quotes: true,
          relax_column_count: true,
        });
  let next = 0;
  return records.map(({ isPlain, text }) => {
    if (!isPlain) return parsed[next++] ?? [];
    if (text === '') return [];
    return delimiter === undefined ? [text] : text.split(delimiter);
  });
}

function findClosingQuote(text: string, openedAt: number, isLast: boolean): number | 'cut' {
  let at = openedAt + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) return -1;
    // The next chunk may start with a second quote, which would escape this one.
    if (at + 1 === text.length && !isLast) return 'cut';
    if (text[at + 1] !== '"') return at;
    at += 2;
  }
}

export interface CsvRecord {
  readonly line: number;
  readonly cells: string[];
  readonly mayBeMisquoted: boolean;
  readonly problem?: string | undefined;
}

interface SplitOptions extends Dialect {
  readonly name: string;
  readonly firstLine: number;
  readonly maxRecordLength: number;
}

type UnparsedRecord = Omit<CsvRecord, 'cells'> & RecordText & { readonly end: number };

const maxLinesChecked = 100;
/** Postal addresses have up to four lines, so only longer cells may be swallowed rows. */
const minLinesChecked = 5;

/** Splits records before csv-parse, in which an unclosed quote would swallow all later rows. */
export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  options: SplitOptions,
): AsyncGenerator<CsvRecord[]> {
  const { name, delimiter, lineEnd: lineBreak, maxRecordLength } = options;
  let text = '';
  let line = options.firstLine;
  let isSkipping = false;
  let width = delimiter === undefined ? 1 : undefined;

  function cutRecords(isLast: boolean): CsvRecord[] {
    const records: UnparsedRecord[] = [];
    let start = isSkipping ? skipLine() : 0;
    let quoteAt = text.indexOf('"');
    while (start < text.length) {
      if (quoteAt !== -1 && quoteAt < start) quoteAt = text.indexOf('"', start);
      const lineEnd = lineEndAt(start);
      const hasQuote = quoteAt !== -1 && quoteAt < lineEnd;
      const record = readRecord(start, lineEnd, hasQuote, isLast);
      if (!record) break;
      if (!isBlank(record)) {
        records.push(record);
        width ??= parseCells([record], options)[0]?.length;
      }
      isSkipping = record.end === text.length && !isLast;
      line += countLines(start, record.end + 1);
      start = record.end + 1;
    }
    text = text.slice(start);
    const cells = parseCells(records, options);
    return records.map(({ line: of, mayBeMisquoted, problem }, at) => {
      return { line: of, cells: cells[at] ?? [], mayBeMisquoted, problem };
    });
  }

  /** Skips the rest of a line that is too long. */
  function skipLine() {
    const start = lineEndAt(0) + 1;
    isSkipping = start > text.length;
    if (!isSkipping) line += 1;
    return start;
  }

  /** Undefined if the record may continue in the next chunk. */
  function readRecord(start: number, lineEnd: number, hasQuote: boolean, isLast: boolean) {
    if (lineEnd - start > maxRecordLength) {
      const problem = `the record on line ${line} is longer than ${maxRecordLength} characters`;
      return { line, end: lineEnd, text: '', isPlain: true, mayBeMisquoted: true, problem };
    }
    if (hasQuote) return readQuoted(start, lineEnd, isLast);
    return lineEnd === text.length && !isLast ? undefined : plainRecord(start, lineEnd);
  }

  function readQuoted(start: number, lineEnd: number, isLast: boolean) {
    const found = scanRecord(text, start, options, isLast ? 'file' : 'chunk');
    const end = found.kind === 'found' ? found.end : text.length;
    const isTooLong = end - start > maxRecordLength;
    if (found.kind !== 'found' && !isLast && !isTooLong) return undefined;

    const lines = text.slice(start, Math.min(end, start + maxRecordLength)).split(lineBreak);
    if (isTooLong) lines.pop();
    const strayQuote = () =>
      plainRecord(start, lineEnd, `a quote opens on line ${line} and is never closed`);
    if (found.kind !== 'found' || isTooLong) {
      if (lineEnd === text.length || areRows(lines)) return strayQuote();
      const openedIn = line + countLines(start, found.kind === 'unclosed' ? found.openedAt : start);
      const limit = isTooLong ? `within ${maxRecordLength} characters` : 'before the file ends';
      throw invalid(
        `${name}, line ${openedIn}: a quote opens here and is not closed ${limit}. ` +
          'Close the quote, double it if it is part of the text, or remove it',
      );
    }

    const { hasTextAfterQuote, hasInnerQuote } = found;
    const record = { ...plainRecord(start, end), isPlain: false };
    if (lines.length === 1) return { ...record, mayBeMisquoted: hasTextAfterQuote };
    const lastLine = line + lines.length - 1;
    const misquoted = (problem?: string) => ({ ...record, mayBeMisquoted: true, problem });
    if (hasTextAfterQuote || hasInnerQuote) {
      if (areRows(lines)) return strayQuote();
      return misquoted(
        `a quote between line ${line} and line ${lastLine} is in the middle of a cell`,
      );
    }
    // The quotes close, but the lines between them may still be rows.
    const looksLikeRows = lines.length >= minLinesChecked && delimiter && areRows(lines);
    if (!looksLikeRows) return misquoted();
    return misquoted(
      `a quote opens on line ${line} and closes on line ${lastLine}, and all lines in between look like rows`,
    );
  }

  function plainRecord(start: number, end: number, problem?: string): UnparsedRecord {
    const hasReturn = lineBreak === '\n' && end > start && text[end - 1] === '\r';
    const own = text.slice(start, hasReturn ? end - 1 : end);
    return { line, end, text: own, isPlain: true, mayBeMisquoted: problem !== undefined, problem };
  }

  /** A line of delimiters is a row of empty cells. */
  function isBlank({ text: own, problem }: UnparsedRecord) {
    return problem === undefined && own.trim() === '' && !(delimiter && own.includes(delimiter));
  }

  function areRows(lines: readonly string[]) {
    return lines
      .slice(0, maxLinesChecked)
      .filter((one) => one.trim() !== '')
      .every((one) => countCells(one) === width);
  }

  function countCells(one: string) {
    const found = scanRecord(one, 0, options, 'line');
    return found.kind === 'found' ? found.cells : 0;
  }

  function lineEndAt(from: number) {
    const found = text.indexOf(lineBreak, from);
    return found === -1 ? text.length : found;
  }

  function countLines(from: number, to: number) {
    let lines = 0;
    for (let at = text.indexOf(lineBreak, from); at !== -1 && at < to; lines += 1) {
      at = text.indexOf(lineBreak, at + 1);
    }
    return lines;
  }

  for await (const chunk of chunks) {
    text += chunk.toString('utf8');
    const records = cutRecords(false);
    if (records.length > 0) yield records;
  }
  const records = cutRecords(true);
  if (records.length > 0) yield records;
}
