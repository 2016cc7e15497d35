import { countCells, type Dialect, findRecordEnd } from './find-record-end.ts';

export interface SniffedDialect extends Dialect {
  /** The line `sep=;` that Excel writes before the first record; empty without one. */
  readonly separatorLine: string;
  /** Number of cells of the widest record in the sample. */
  readonly widest: number;
}

const commonDelimiters = [',', ';', '\t', '|'] as const;
const maxSampleRecords = 100;

/**
 * Finds the dialect from the beginning of a file. The delimiter is the one that splits the most
 * records into as many cells as the first record has.
 */
export function sniffDialect(
  sample: string,
  isWhole: boolean,
  given: string | undefined,
): SniffedDialect {
  const lineEnd = sniffLineEnd(sample);
  const separator = /^"?sep=(?<delimiter>[^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(sample);
  const separatorLine = separator?.[0] ?? '';
  const body = sample.slice(separatorLine.length);
  const known = given ?? separator?.groups?.delimiter;
  const tried = (known === undefined ? commonDelimiters : [known]).map((delimiter) => {
    const records = countRecords(body, { delimiter, lineEnd }, isWhole);
    const first = records[0]?.cells ?? 1;
    const alike = records.filter(({ cells, isRegular }) => isRegular && cells === first);
    const loose = records.filter(({ hasLooseQuote }) => hasLooseQuote);
    return {
      delimiter,
      first,
      alikeShare: alike.length / records.length,
      looseShare: loose.length / records.length,
      widest: records.reduce((most, { cells }) => Math.max(most, cells), 1),
    };
  });
  const fitting = tried
    .filter(({ first }) => known !== undefined || first > 1)
    .sort(
      (a, b) => b.alikeShare - a.alikeShare || a.looseShare - b.looseShare || b.first - a.first,
    );
  const best = fitting[0] ?? { delimiter: undefined, widest: 1 };
  return { delimiter: best.delimiter, lineEnd, separatorLine, widest: best.widest };
}

/** Old Mac files end records with a carriage return, but may have line feeds inside quotes. */
function sniffLineEnd(sample: string): '\n' | '\r' {
  const outsideQuotes = sample.replaceAll(/"[^"]*"/g, '');
  return outsideQuotes.includes('\n') || !outsideQuotes.includes('\r') ? '\n' : '\r';
}

interface CountedRecord {
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
      records.push({ cells: countCells(text, dialect), isRegular, hasLooseQuote });
    }
    start = end + 1;
  }
  return records;
}
