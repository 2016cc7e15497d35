import { DossierError } from '../../errors.ts';
import { countCells, type Dialect, type FoundEnd, findRecordEnd } from './find-record-end.ts';

/** The text of one CSV record, without its line end. */
export interface RawRecord {
  readonly line: number;
  readonly text: string;
  /** Quotes in this record are plain text, because one of them does not close. */
  readonly isPlain: boolean;
  /**
   * The record has a line end inside quotes or text after a closing quote. When it also lacks
   * cells, a quote is probably misplaced.
   */
  readonly isDoubtful: boolean;
  readonly problem?: string;
}

export interface SplitOptions extends Dialect {
  readonly name: string;
  readonly firstLine: number;
  readonly maxRecordLength: number;
}

interface Step {
  readonly record: RawRecord;
  /** Offset of the next record. Beyond the end of the text when the rest of this one is skipped. */
  readonly next: number;
}

/** Lines after an open quote that are checked for being rows of their own. */
const maxLinesChecked = 100;
/** A quoted cell with fewer lines, such as a postal address, is not checked. */
const minLinesChecked = 5;

/**
 * Splits text into CSV records, one batch for each chunk. csv-parse is not used for this: in it, a
 * quote that does not close takes in all rows after it. Here only its own line is a row with a
 * problem.
 */
export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  options: SplitOptions,
): AsyncGenerator<RawRecord[]> {
  let pending = '';
  let line = options.firstLine;
  let isSkipping = false;
  /** Number of cells of the first record; undefined until it is read. */
  let cells = options.delimiter === undefined ? 1 : undefined;

  function cut(text: string, isLast: boolean): RawRecord[] {
    const records: RawRecord[] = [];
    let start = 0;
    if (isSkipping) {
      const lineBreak = text.indexOf(options.lineEnd);
      if (lineBreak === -1) return records;
      isSkipping = false;
      line += 1;
      start = lineBreak + 1;
    }
    let quoteAt = text.indexOf('"');
    while (start < text.length) {
      if (quoteAt !== -1 && quoteAt < start) quoteAt = text.indexOf('"', start);
      const lineBreak = text.indexOf(options.lineEnd, start);
      const lineEnd = lineBreak === -1 ? text.length : lineBreak;
      const at = { start, lineEnd, line, isLast, cells };
      const hasQuote = quoteAt !== -1 && quoteAt < lineEnd;
      const read = hasQuote ? readQuoted : readUnquoted;
      const step = read(text, at, options);
      if (step === undefined) break;
      if (!isBlank(step.record, options)) {
        records.push(step.record);
        cells ??= countCells(step.record.text, options);
      }
      isSkipping = step.next > text.length && !isLast;
      line += countLines(text, start, step.next, options.lineEnd);
      start = step.next;
    }
    pending = text.slice(start);
    return records;
  }

  for await (const chunk of chunks) {
    const records = cut(pending + chunk.toString('utf8'), false);
    if (records.length > 0) yield records;
  }
  const records = cut(pending, true);
  if (records.length > 0) yield records;
}

interface RecordStart {
  readonly start: number;
  /** Offset where the first line of the record ends; the end of the text if the line goes on. */
  readonly lineEnd: number;
  readonly line: number;
  readonly isLast: boolean;
  readonly cells: number | undefined;
}

function readUnquoted(text: string, at: RecordStart, options: SplitOptions): Step | undefined {
  const { start, lineEnd, line, isLast } = at;
  if (lineEnd - start > options.maxRecordLength) return tooLong(at, lineEnd, options);
  if (lineEnd === text.length && !isLast) return undefined;
  const record = {
    line,
    text: recordText(text, start, lineEnd, options),
    isPlain: false,
    isDoubtful: false,
  };
  return { record, next: lineEnd + 1 };
}

function readQuoted(text: string, at: RecordStart, options: SplitOptions): Step | undefined {
  const { start, lineEnd, line, isLast } = at;
  if (lineEnd - start > options.maxRecordLength) return tooLong(at, lineEnd, options);
  const found = findRecordEnd(text, start, options, isLast);
  const end = found.kind === 'found' ? found.end : text.length;
  const isTooLong = end - start > options.maxRecordLength;
  if (found.kind === 'found' && !isTooLong) {
    return judgeRecord(text, at, found, options);
  }
  if (!isLast && !isTooLong) return undefined;

  const unclosed = text.slice(start, start + options.maxRecordLength);
  const lines = unclosed.split(options.lineEnd, maxLinesChecked + 1);
  // The limit may cut the last line.
  if (isTooLong) lines.pop();
  if (lineEnd === text.length || areRows(lines, at, options)) {
    return strayQuote(text, at, options);
  }
  const openedAt = found.kind === 'unclosed' ? found.openedAt : start;
  const openedIn = line + countLines(text, start, openedAt, options.lineEnd);
  const limit = isTooLong ? `within ${options.maxRecordLength} characters` : 'before the file ends';
  throw new DossierError(
    'INPUT_INVALID',
    `${options.name}, line ${openedIn}: a quote opens here and its record does not end ${limit}. ` +
      'Close the quote, double it if it is part of the text, or remove it',
  );
}

/** A record of many lines gets a problem when its lines look like rows, though its quotes close. */
function judgeRecord(
  text: string,
  at: RecordStart,
  { end, isIrregular, hasLooseQuote }: FoundEnd,
  options: SplitOptions,
): Step {
  const { start, lineEnd, line } = at;
  const raw = recordText(text, start, end, options);
  const isManyLines = lineEnd < end;
  const record = { line, text: raw, isPlain: false, isDoubtful: isManyLines || isIrregular };
  const next = end + 1;
  if (!isManyLines) return { record, next };

  const lines = raw.split(options.lineEnd);
  const lastLine = line + lines.length - 1;
  if (isIrregular || hasLooseQuote) {
    if (areRows(lines, at, options)) return strayQuote(text, at, options);
    const problem = `a quote between line ${line} and line ${lastLine} stands in the middle of a cell`;
    return { record: { ...record, problem }, next };
  }
  if (lines.length < minLinesChecked || !options.delimiter || !areRows(lines, at, options)) {
    return { record, next };
  }
  const problem = `a quote opens in line ${line} and closes in line ${lastLine}, and all lines between look like rows`;
  return { record: { ...record, problem }, next };
}

/** Lines look like rows when each has as many cells as the first record. */
function areRows(lines: readonly string[], { cells }: RecordStart, options: SplitOptions): boolean {
  return lines
    .slice(0, maxLinesChecked)
    .filter((line) => line.trim() !== '')
    .every((line) => countCells(line, options) === cells);
}

function strayQuote(
  text: string,
  { start, lineEnd, line }: RecordStart,
  options: SplitOptions,
): Step {
  const record = {
    line,
    text: recordText(text, start, lineEnd, options),
    isPlain: true,
    isDoubtful: true,
    problem: `a quote opens in line ${line} and does not close`,
  };
  return { record, next: lineEnd + 1 };
}

function tooLong({ line }: RecordStart, end: number, { maxRecordLength }: SplitOptions): Step {
  const problem = `the record in line ${line} is longer than ${maxRecordLength} characters`;
  return { record: { line, text: '', isPlain: true, isDoubtful: true, problem }, next: end + 1 };
}

function recordText(text: string, start: number, end: number, { lineEnd }: Dialect): string {
  const hasReturn = lineEnd === '\n' && end > start && text[end - 1] === '\r';
  return text.slice(start, hasReturn ? end - 1 : end);
}

/** A line of spaces is blank. A line of delimiters is not: it is a row of empty cells. */
function isBlank({ text, problem }: RawRecord, { delimiter }: Dialect): boolean {
  if (problem !== undefined) return false;
  if (text === '') return true;
  if (text.charCodeAt(0) > 0x20 || text.trim() !== '') return false;
  return delimiter === undefined || !text.includes(delimiter);
}

function countLines(text: string, start: number, end: number, lineEnd: string): number {
  let lines = 0;
  for (let at = text.indexOf(lineEnd, start); at !== -1 && at < end; lines += 1) {
    at = text.indexOf(lineEnd, at + 1);
  }
  return lines;
}
