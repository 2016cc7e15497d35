import { isReject } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { peekBytes, skipBytes } from '../bytes.ts';
import {
  countHeaderCells,
  countTitleRows,
  looksLikeHeader,
  mostTitleRows,
  nameColumns,
} from '../header.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { invalid } from '../list-errors.ts';
import type { InputOptions } from '../open-input.ts';
import {
  type CsvRecord,
  countCells,
  type Dialect,
  findRecordEnd,
  joinCells,
  parseCells,
  splitRecords,
} from './csv-records.ts';

const sampleBytes = 256 * 1024;
const extraColumn = 'extra_cells';

/** Reads CSV from UTF-8 bytes. */
export async function readCsv(
  source: AsyncIterable<Buffer>,
  name: string,
  options: InputOptions & { readonly maxRecordLength: number },
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const { maxRecordLength, headerRow } = options;
  const sample = head.toString('utf8');
  const { above, widest, ...dialect } = sniffDialect(sample, isWhole, options.delimiter, headerRow);
  if (above === undefined) {
    throw invalid(`${name} has no line ${headerRow} to name its columns`);
  }
  // A title is searched for only where neither job nor flag says which line names the columns.
  const title =
    options.header === undefined && headerRow === undefined
      ? findTitle(sample.slice(above.length), dialect, isWhole)
      : { text: '', rows: 0 };
  const skipped = above + title.text;
  const batches = splitRecords(skipBytes(bytes, Buffer.byteLength(skipped)), {
    ...dialect,
    name,
    maxRecordLength,
    firstLine: skipped.split(dialect.lineEnd).length,
  });

  const records = (await batches.next()).value ?? [];
  const first = records[0];
  if (first === undefined) {
    throw invalid(`${name} is empty: it needs a line of column names and a row for each company`);
  }
  const [cells = []] = parseCells([first], dialect);
  const hasHeader = options.header ?? (headerRow !== undefined || looksLikeHeader(cells));
  if (hasHeader && first.problem !== undefined) {
    throw invalid(
      `${name}, line ${first.line}: the column names cannot be read, for ${first.problem}`,
    );
  }
  const unnamed = new Array<undefined>(Math.max(widest, cells.length)).fill(undefined);
  const named = hasHeader ? cells : unnamed;
  const columns = nameColumns(named);
  const width = columns.length;

  /** Cells beyond the column names become one cell, in a column that appears with the first of them. */
  function keepExtra(cells: readonly string[]) {
    const extra = cells.slice(width);
    if (extra.every((cell) => cell.trim() === '')) return cells.slice(0, width);
    if (columns.length === width) {
      columns.push(...nameColumns([...named, extraColumn]).slice(width));
    }
    return [...cells.slice(0, width), joinCells(extra, dialect)];
  }

  function problemOf({ line, text, isDoubtful }: CsvRecord, cells: readonly string[]) {
    if (text.includes('\0')) return `line ${line} holds zero bytes`;
    if (cells.length === width) return undefined;
    const found = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
    const mismatch = `line ${line} has ${found} instead of ${width}`;
    if (cells.slice(width).some((cell) => cell.trim() !== '')) return mismatch;
    return cells.length < width && isDoubtful ? `${mismatch}; a quote may be misplaced` : undefined;
  }

  let number = 0;
  function toRows(batch: readonly CsvRecord[]): InputRow[] {
    const parsed = parseCells(batch, dialect);
    return batch.map((record, index) => {
      number += 1;
      const { line } = record;
      const found = parsed[index] ?? [];
      const problem = record.problem ?? problemOf(record, found);
      const cells: (string | undefined)[] = found.length > width ? keepExtra(found) : found;
      while (cells.length < width) cells.push(undefined);
      return problem === undefined ? { number, line, cells } : { number, line, cells, problem };
    });
  }

  async function* readBatches() {
    yield toRows(hasHeader ? records.slice(1) : records);
    for await (const batch of batches) yield toRows(batch);
  }
  return {
    columns,
    hasHeader,
    headerLine: hasHeader ? first.line : undefined,
    delimiter: dialect.delimiter,
    titleRows: title.rows,
    batches: readBatches(),
  };
}

/** Finds the title at the beginning of a file: its text, and the rows that it has. */
function findTitle(sample: string, dialect: Dialect, isWhole: boolean) {
  const records = countRecords(sample, dialect, isWhole).slice(0, mostTitleRows + 2);
  const plain = records.map(({ text, isRegular }) => ({ text, isPlain: !isRegular }));
  const rows = countTitleRows(parseCells(plain, dialect));
  return { text: sample.slice(0, rows === 0 ? 0 : records[rows]?.start), rows };
}

interface SniffedDialect extends Dialect {
  /**
   * What stands before the first record: the line `sep=;` that Excel writes, or the lines above
   * `headerRow`. Undefined when the sample has no such line.
   */
  readonly above: string | undefined;
  /** Number of cells of the widest record in the sample. */
  readonly widest: number;
}

const commonDelimiters = [',', ';', '\t', '|'] as const;
const maxSampleRecords = 100;

/** A delimiter that splits fewer records alike is none, unless the title has misled the count. */
const fairShare = 0.5;

/**
 * Finds the dialect from the beginning of a file. The delimiter is the one that splits the most
 * records into as many cells as the first record has, or the first one below a title.
 */
export function sniffDialect(
  sample: string,
  isWhole: boolean,
  given: string | undefined,
  headerRow?: number,
): SniffedDialect {
  const lineEnd = sniffLineEnd(sample);
  const separator = /^"?sep=(?<delimiter>[^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(sample);
  const above =
    headerRow === undefined ? (separator?.[0] ?? '') : linesAbove(sample, headerRow, lineEnd);
  const body = sample.slice(above?.length);
  const known = given ?? separator?.groups?.delimiter;
  const tried = (known === undefined ? commonDelimiters : [known]).map((delimiter) => {
    const records = countRecords(body, { delimiter, lineEnd }, isWhole);
    const headAt = headerRow === undefined ? titleRecords(records) : 0;
    const first = records[headAt]?.cells ?? 1;
    const alike = records.filter(({ cells, isRegular }) => isRegular && cells === first);
    const loose = records.filter(({ hasLooseQuote }) => hasLooseQuote);
    const alikeShare = alike.length / records.length;
    return {
      delimiter,
      first,
      isFair: headAt === 0 && alikeShare >= fairShare,
      alikeShare,
      looseShare: loose.length / records.length,
      widest: records.reduce((most, { cells }) => Math.max(most, cells), 1),
    };
  });
  const fitting = tried
    .filter(({ first }) => known !== undefined || first > 1)
    .sort(
      (a, b) =>
        Number(b.isFair) - Number(a.isFair) ||
        b.alikeShare - a.alikeShare ||
        a.looseShare - b.looseShare ||
        b.first - a.first,
    );
  const best = fitting[0] ?? { delimiter: undefined, widest: 1 };
  return { delimiter: best.delimiter, lineEnd, above, widest: best.widest };
}

/** The text above a line, counted from 1; undefined when there are fewer lines. */
function linesAbove(sample: string, line: number, lineEnd: string) {
  let end = 0;
  for (let above = 1; above < line; above += 1) {
    const next = sample.indexOf(lineEnd, end);
    if (next === -1) return undefined;
    end = next + 1;
  }
  return end < sample.length ? sample.slice(0, end) : undefined;
}

/**
 * Counts the records of one cell above those of several that look like a title. It is 0 where the records
 * below differ: then the delimiter is a sign within the texts of a single column.
 */
function titleRecords(records: readonly CountedRecord[]) {
  const headAt = records.findIndex(({ cells }) => cells > 1);
  if (headAt < 1 || headAt > mostTitleRows) return 0;
  const below = records.slice(headAt);
  const alike = below.filter(({ cells }) => cells === below[0]?.cells).length;
  const isTable = below.length > 1 && alike / below.length >= 0.9;
  return isTable && records.slice(0, headAt).every(({ text }) => isTitle(text)) ? headAt : 0;
}

/** A sentence may hold commas, each with a space behind it. Without one they separate cells. */
const separatesCells = /[,;|\t](?! )/;

function isTitle(text: string) {
  const isName = countHeaderCells([text]).names > 0;
  return !isName && !separatesCells.test(text) && isReject(identifyCell(text, 'auto'));
}

/** Old Mac files end records with a carriage return, but may have line feeds inside quotes. */
function sniffLineEnd(sample: string): '\n' | '\r' {
  const outsideQuotes = sample.replaceAll(/"[^"]*"/g, '');
  return outsideQuotes.includes('\n') || !outsideQuotes.includes('\r') ? '\n' : '\r';
}

interface CountedRecord {
  readonly start: number;
  readonly text: string;
  readonly cells: number;
  /** Every closing quote ends its cell. With the wrong delimiter, quotes close in mid-cell. */
  readonly isRegular: boolean;
  readonly hasLooseQuote: boolean;
}

function countRecords(sample: string, dialect: Dialect, isWhole: boolean): CountedRecord[] {
  const records: CountedRecord[] = [];
  let start = 0;
  while (start < sample.length && records.length < maxSampleRecords) {
    const found = findRecordEnd(sample, start, dialect, isWhole);
    const lineBreak = sample.indexOf(dialect.lineEnd, start);
    const lineEnd = lineBreak === -1 ? sample.length : lineBreak;
    // After a quote that does not close, counting goes on with the next line.
    const end = found.kind === 'found' ? found.end : lineEnd;
    const isCut = end === sample.length && !isWhole;
    if (isCut && records.length > 0) break;
    const text = sample.slice(start, end).replace(/\r$/, '');
    const isRegular = found.kind === 'found' && !found.isIrregular;
    const hasLooseQuote = found.kind === 'found' && found.hasLooseQuote;
    // A line of tabs counts: it may be a row of empty cells.
    if (!/^ *$/.test(text)) {
      records.push({ start, text, cells: countCells(text, dialect), isRegular, hasLooseQuote });
    }
    start = end + 1;
  }
  return records;
}
