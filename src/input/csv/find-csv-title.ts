import { countTitleRows, mostTitleRows } from '../header/find-title.ts';
import { type Dialect, findRecordEnd } from './find-record-end.ts';
import { parseCells } from './parse-cells.ts';

/** The text of the title above the column names, and the rows that it has. */
export interface CsvTitle {
  readonly text: string;
  readonly rows: number;
}

/** Finds the title at the beginning of a file, if it has one. */
export function findCsvTitle(sample: string, dialect: Dialect, isWhole: boolean): CsvTitle {
  const starts: number[] = [];
  const texts: string[] = [];
  let start = 0;
  while (start < sample.length && starts.length <= mostTitleRows + 1) {
    const found = findRecordEnd(sample, start, dialect, isWhole);
    if (found.kind !== 'found') break;
    const text = sample.slice(start, found.end).replace(/\r$/, '');
    if (text.trim() !== '') {
      starts.push(start);
      texts.push(text);
    }
    start = found.end + 1;
  }
  const records = texts.map((text) => ({ line: 0, text, isPlain: false, isDoubtful: false }));
  const rows = countTitleRows(parseCells(records, dialect));
  return { text: sample.slice(0, rows === 0 ? 0 : starts[rows]), rows };
}
