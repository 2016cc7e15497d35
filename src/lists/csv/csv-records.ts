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

/** For ten plain cells csv-parse takes 10 µs and `split` 3 µs, so csv-parse gets quoted records only. */
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

function findClosingQuote(text: string, openedAt: number, isLast: boolean) {
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

interface UnparsedRecord extends Omit<CsvRecord, 'cells'>, RecordText {
  readonly end: number;
  readonly lines: number;
}

const maxLinesChecked = 100;
/** Postal addresses have up to four lines, so only longer cells may be swallowed rows. */
const minLinesChecked = 5;

/** Splits records before csv-parse, in which an unclosed quote would swallow all later rows. */
export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  options: SplitOptions,
): AsyncGenerator<CsvRecord[]> {
  let text = '';
  let line = options.firstLine;
  let isSkipping = false;
  let width = options.delimiter === undefined ? 1 : undefined;

  function cutRecords(isLast: boolean): CsvRecord[] {
    const records: UnparsedRecord[] = [];
    let start = isSkipping ? skipLine() : 0;
    let quoteAt = text.indexOf('"');
    while (start < text.length) {
      if (quoteAt !== -1 && quoteAt < start) quoteAt = text.indexOf('"', start);
      const lineEnd = lineEndAt(text, start, options);
      const hasQuote = quoteAt !== -1 && quoteAt < lineEnd;
      const place = { text, start, lineEnd, line, width, isLast };
      const record = readRecord(place, hasQuote, options);
      if (!record) break;
      if (!isBlank(record, options)) {
        records.push(record);
        width ??= parseCells([record], options)[0]?.length;
      }
      isSkipping = record.end === text.length && !isLast;
      line += record.lines;
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
    const start = lineEndAt(text, 0, options) + 1;
    isSkipping = start > text.length;
    return start;
  }

  for await (const chunk of chunks) {
    text += chunk.toString('utf8');
    const records = cutRecords(false);
    if (records.length > 0) yield records;
  }
  const records = cutRecords(true);
  if (records.length > 0) yield records;
}

interface Place {
  readonly text: string;
  readonly start: number;
  readonly lineEnd: number;
  readonly line: number;
  readonly width: number | undefined;
  readonly isLast: boolean;
}

/** Undefined if the record may continue in the next chunk. */
function readRecord(place: Place, hasQuote: boolean, options: SplitOptions) {
  const { text, start, lineEnd, line, isLast } = place;
  const { maxRecordLength } = options;
  if (lineEnd - start > maxRecordLength) {
    const problem = `the record on line ${line} is longer than ${maxRecordLength} characters`;
    return { ...plainRecord(place, start, options, problem), end: lineEnd };
  }
  if (hasQuote) return readQuoted(place, options);
  return lineEnd === text.length && !isLast ? undefined : plainRecord(place, lineEnd, options);
}

function readQuoted(place: Place, options: SplitOptions) {
  const { text, start, lineEnd, line, width, isLast } = place;
  const { lineEnd: lineBreak, maxRecordLength } = options;
  const found = scanRecord(text, start, options, isLast ? 'file' : 'chunk');
  const end = found.kind === 'found' ? found.end : text.length;
  const isTooLong = end - start > maxRecordLength;
  if (found.kind !== 'found' && !isLast && !isTooLong) return undefined;

  const lines = text.slice(start, Math.min(end, start + maxRecordLength)).split(lineBreak);
  if (isTooLong) lines.pop();
  const strayQuote = () =>
    plainRecord(place, lineEnd, options, `a quote opens on line ${line} and is never closed`);
  if (found.kind !== 'found' || isTooLong) {
    if (lineEnd === text.length || areRows(lines, width, options)) return strayQuote();
    const openedAt = found.kind === 'unclosed' ? found.openedAt : start;
    const openedIn = line + text.slice(start, openedAt).split(lineBreak).length - 1;
    const limit = isTooLong ? `within ${maxRecordLength} characters` : 'before the file ends';
    throw invalid(
      `${options.name}, line ${openedIn}: a quote opens here and is not closed ${limit}. ` +
        'Close the quote, double it if it is part of the text, or remove it',
    );
  }

  const { hasTextAfterQuote, hasInnerQuote } = found;
  const record = { ...plainRecord(place, end, options), isPlain: false, lines: lines.length };
  if (lines.length === 1) return { ...record, mayBeMisquoted: hasTextAfterQuote };
  const lastLine = line + lines.length - 1;
  const misquoted = (problem: string | undefined) => ({ ...record, mayBeMisquoted: true, problem });
  if (hasTextAfterQuote || hasInnerQuote) {
    if (areRows(lines, width, options)) return strayQuote();
    return misquoted(
      `a quote between line ${line} and line ${lastLine} is in the middle of a cell`,
    );
  }
  // The quotes close, but the lines between them may still be rows.
  const looksLikeRows =
    lines.length >= minLinesChecked && options.delimiter && areRows(lines, width, options);
  return misquoted(
    looksLikeRows
      ? `a quote opens on line ${line} and closes on line ${lastLine}, and all lines in between look like rows`
      : undefined,
  );
}

function plainRecord(
  { text, start, line }: Place,
  end: number,
  { lineEnd }: Dialect,
  problem?: string,
): UnparsedRecord {
  const hasReturn = lineEnd === '\n' && end > start && text[end - 1] === '\r';
  const own = text.slice(start, hasReturn ? end - 1 : end);
  const mayBeMisquoted = problem !== undefined;
  return { line, lines: 1, end, text: own, isPlain: true, mayBeMisquoted, problem };
}

/** A line of delimiters is a row of empty cells. */
function isBlank({ text, problem }: UnparsedRecord, { delimiter }: Dialect) {
  return problem === undefined && text.trim() === '' && !(delimiter && text.includes(delimiter));
}

function areRows(lines: readonly string[], width: number | undefined, dialect: Dialect) {
  return lines
    .slice(0, maxLinesChecked)
    .filter((line) => line.trim() !== '')
    .every((line) => {
      const found = scanRecord(line, 0, dialect, 'line');
      return (found.kind === 'found' ? found.cells : 0) === width;
    });
}

function lineEndAt(text: string, from: number, { lineEnd }: Dialect) {
  const found = text.indexOf(lineEnd, from);
  return found === -1 ? text.length : found;
}
