import { DossierError } from '../errors.ts';
import { countCells, type Dialect, type FoundEnd, findRecordEnd } from './find-record-end.ts';

/** The text of one CSV record, without its line end. */
export interface RawRecord {
  readonly line: number;
  readonly text: string;
  /** Quotes are read as plain text, because one of them opened by mistake. */
  readonly isPlain: boolean;
  /** It has line ends inside quotes or text after a closing quote, so a missing cell is a sign. */
  readonly isDoubtful: boolean;
  readonly problem?: string;
}

export interface SplitOptions extends Dialect {
  readonly name: string;
  readonly firstLine: number;
  readonly maxRecordLength: number;
}

/** A record and where the next one begins: beyond the text when the rest is to be skipped. */
interface Step {
  readonly record: RawRecord;
  readonly next: number;
}

/** How many of the lines behind an open quote are looked at to see whether they are rows. */
const linesLookedAt = 100;
/** Fewer lines in one cell, such as an address, are nothing to wonder at. */
const linesOfOneCell = 5;

/**
 * Cuts text into records, one batch for each chunk. csv-parse could do it, but there a stray quote
 * swallows all that follows; here its own line becomes a row with a problem.
 */
export async function* splitRecords(
  chunks: AsyncIterable<Buffer>,
  options: SplitOptions,
): AsyncGenerator<RawRecord[]> {
  let pending = '';
  let line = options.firstLine;
  let isSkipping = false;
  /** As many as the first record has; unknown until it is read. */
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
      const place = { start, lineEnd, line, isLast, cells };
      const hasQuote = quoteAt !== -1 && quoteAt < lineEnd;
      const read = hasQuote ? readQuoted : readUnquoted;
      const step = read(text, place, options);
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

interface Place {
  readonly start: number;
  /** Where the first line of the record ends, or the text if it does not. */
  readonly lineEnd: number;
  readonly line: number;
  readonly isLast: boolean;
  readonly cells: number | undefined;
}

function readUnquoted(text: string, place: Place, options: SplitOptions): Step | undefined {
  const { start, lineEnd, line, isLast } = place;
  if (lineEnd - start > options.maxRecordLength) return tooLong(place, lineEnd, options);
  if (lineEnd === text.length && !isLast) return undefined;
  const record = {
    line,
    text: recordText(text, start, lineEnd, options),
    isPlain: false,
    isDoubtful: false,
  };
  return { record, next: lineEnd + 1 };
}

function readQuoted(text: string, place: Place, options: SplitOptions): Step | undefined {
  const { start, lineEnd, line, isLast } = place;
  if (lineEnd - start > options.maxRecordLength) return tooLong(place, lineEnd, options);
  const found = findRecordEnd(text, start, options, isLast);
  const end = found.kind === 'found' ? found.end : text.length;
  const isTooLong = end - start > options.maxRecordLength;
  if (found.kind === 'found' && !isTooLong) {
    return judgeRecord(text, place, found, options);
  }
  if (!isLast && !isTooLong) return undefined;

  const swallowed = text.slice(start, start + options.maxRecordLength);
  const lines = swallowed.split(options.lineEnd, linesLookedAt + 1);
  // The last line may not be whole.
  if (isTooLong) lines.pop();
  if (lineEnd === text.length || areRows(lines, place, options)) {
    return strayQuote(text, place, options);
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

/** A record whose quotes close is still doubtful when its lines look like rows of their own. */
function judgeRecord(
  text: string,
  place: Place,
  { end, isIrregular, hasLooseQuote }: FoundEnd,
  options: SplitOptions,
): Step {
  const { start, lineEnd, line } = place;
  const raw = recordText(text, start, end, options);
  const isManyLines = lineEnd < end;
  const record = { line, text: raw, isPlain: false, isDoubtful: isManyLines || isIrregular };
  const next = end + 1;
  if (!isManyLines) return { record, next };

  const lines = raw.split(options.lineEnd);
  const lastLine = line + lines.length - 1;
  if (isIrregular || hasLooseQuote) {
    if (areRows(lines, place, options)) return strayQuote(text, place, options);
    const problem = `a quote between line ${line} and line ${lastLine} stands in the middle of a cell`;
    return { record: { ...record, problem }, next };
  }
  if (lines.length < linesOfOneCell || !options.delimiter || !areRows(lines, place, options)) {
    return { record, next };
  }
  const problem = `a quote opens in line ${line} and closes in line ${lastLine}, and all lines between look like rows`;
  return { record: { ...record, problem }, next };
}

/** Lines behind a quote are rows that it swallowed if each has the cells of a row. */
function areRows(lines: readonly string[], { cells }: Place, options: SplitOptions): boolean {
  return lines
    .slice(0, linesLookedAt)
    .filter((line) => line.trim() !== '')
    .every((line) => countCells(line, options) === cells);
}

function strayQuote(text: string, { start, lineEnd, line }: Place, options: SplitOptions): Step {
  const record = {
    line,
    text: recordText(text, start, lineEnd, options),
    isPlain: true,
    isDoubtful: true,
    problem: `a quote opens in line ${line} and does not close`,
  };
  return { record, next: lineEnd + 1 };
}

function tooLong({ line }: Place, end: number, { maxRecordLength }: SplitOptions): Step {
  const problem = `the record in line ${line} is longer than ${maxRecordLength} characters`;
  return { record: { line, text: '', isPlain: true, isDoubtful: true, problem }, next: end + 1 };
}

function recordText(text: string, start: number, end: number, { lineEnd }: Dialect): string {
  const hasReturn = lineEnd === '\n' && end > start && text[end - 1] === '\r';
  return text.slice(start, hasReturn ? end - 1 : end);
}

/** A line of spaces looks blank to people; a line of tabs may be a row of empty cells. */
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
