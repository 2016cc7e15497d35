import { isReject } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { countHeaderCells, mostTitleRows } from '../header.ts';
import { countCells, type Dialect, findRecordEnd } from './csv-records.ts';

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
function linesAbove(sample: string, line: number, lineEnd: string): string | undefined {
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
function titleRecords(records: readonly CountedRecord[]): number {
  const headAt = records.findIndex(({ cells }) => cells > 1);
  if (headAt < 1 || headAt > mostTitleRows) return 0;
  const below = records.slice(headAt);
  const alike = below.filter(({ cells }) => cells === below[0]?.cells).length;
  const isTable = below.length > 1 && alike / below.length >= 0.9;
  return isTable && records.slice(0, headAt).every(({ text }) => isTitle(text)) ? headAt : 0;
}

/** A sentence may hold commas, each with a space behind it. Without one they separate cells. */
const separatesCells = /[,;|\t](?! )/;

function isTitle(text: string): boolean {
  const isName = countHeaderCells([text]).names > 0;
  return !isName && !separatesCells.test(text) && isReject(identifyCell(text, 'auto'));
}

/** Old Mac files end records with a carriage return, but may have line feeds inside quotes. */
function sniffLineEnd(sample: string): '\n' | '\r' {
  const outsideQuotes = sample.replaceAll(/"[^"]*"/g, '');
  return outsideQuotes.includes('\n') || !outsideQuotes.includes('\r') ? '\n' : '\r';
}

interface CountedRecord {
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
    const text = sample.slice(start, end);
    const isRegular = found.kind === 'found' && !found.isIrregular;
    const hasLooseQuote = found.kind === 'found' && found.hasLooseQuote;
    // A line of tabs counts: it may be a row of empty cells.
    if (!/^[ \r]*$/.test(text)) {
      records.push({ text, cells: countCells(text, dialect), isRegular, hasLooseQuote });
    }
    start = end + 1;
  }
  return records;
}
