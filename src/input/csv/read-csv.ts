import { peekBytes, skipBytes } from '../bytes.ts';
import { countTitleRows, looksLikeHeader, mostTitleRows, nameColumns } from '../header.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { invalid } from '../list-errors.ts';
import {
  type CsvRecord,
  type Dialect,
  findRecordEnd,
  joinCells,
  parseCells,
  splitRecords,
} from './csv-records.ts';
import { sniffDialect } from './sniff-dialect.ts';

interface CsvOptions {
  readonly name: string;
  readonly delimiter: string | undefined;
  readonly header: boolean | undefined;
  readonly headerRow: number | undefined;
  readonly maxRecordLength: number;
  readonly close: () => Promise<void>;
}

const sampleBytes = 256 * 1024;
const extraColumn = 'extra_cells';

/** Reads CSV from UTF-8 bytes. */
export async function readCsv(
  source: AsyncIterable<Buffer>,
  options: CsvOptions,
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const { name, maxRecordLength, headerRow } = options;
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
  function keepExtra(cells: readonly string[]): string[] {
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

  async function* readBatches(): AsyncGenerator<InputRow[]> {
    try {
      yield toRows(hasHeader ? records.slice(1) : records);
      for await (const batch of batches) yield toRows(batch);
    } finally {
      await options.close();
    }
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
  const starts: number[] = [];
  const records: { text: string; isPlain: boolean }[] = [];
  let start = 0;
  while (start < sample.length && starts.length <= mostTitleRows + 1) {
    const found = findRecordEnd(sample, start, dialect, isWhole);
    if (found.kind !== 'found') break;
    const text = sample.slice(start, found.end).replace(/\r$/, '');
    if (text.trim() !== '') {
      starts.push(start);
      records.push({ text, isPlain: false });
    }
    start = found.end + 1;
  }
  const rows = countTitleRows(parseCells(records, dialect));
  return { text: sample.slice(0, rows === 0 ? 0 : starts[rows]), rows };
}
