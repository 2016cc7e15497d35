import { DossierError } from '../../errors.ts';
import { peekBytes, skipBytes } from '../bytes/peek-bytes.ts';
import { looksLikeHeader } from '../header/detect-header.ts';
import { nameColumns } from '../header/name-columns.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { type CsvTitle, findCsvTitle } from './find-csv-title.ts';
import { joinCells, parseCells } from './parse-cells.ts';
import { type SniffedDialect, sniffDialect } from './sniff-dialect.ts';
import { type RawRecord, splitRecords } from './split-records.ts';

export interface CsvOptions {
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
  const dialect = sniffDialect(sample, isWhole, options.delimiter, headerRow);
  const title = titleOf(sample, isWhole, dialect, options);
  const above = (dialect.above ?? '') + title.text;
  const firstLine = above.split(dialect.lineEnd).length;
  const { delimiter, lineEnd } = dialect;
  const batches = splitRecords(skipBytes(bytes, Buffer.byteLength(above)), {
    ...{ name, maxRecordLength, delimiter, lineEnd, firstLine },
  });

  const records: RawRecord[] = (await batches.next()).value ?? [];
  const first = records[0];
  if (first === undefined) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name} is empty: it needs a line of column names and a row for each company`,
    );
  }
  const [cells = []] = parseCells([first], dialect);
  const hasHeader = options.header ?? (headerRow !== undefined || looksLikeHeader(cells));
  if (hasHeader && first.problem !== undefined) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name}, line ${first.line}: the column names cannot be read, for ${first.problem}`,
    );
  }
  const unnamed = new Array<undefined>(Math.max(dialect.widest, cells.length)).fill(undefined);
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

  async function* readBatches(): AsyncGenerator<InputRow[]> {
    let number = 0;
    const toRows = (batch: readonly RawRecord[]): InputRow[] => {
      const parsed = parseCells(batch, dialect);
      return batch.map((record, index) => {
        number += 1;
        return toRow(number, record, parsed[index] ?? [], { width, keepExtra });
      });
    };
    try {
      yield toRows(hasHeader ? records.slice(1) : records);
      for await (const batch of batches) yield toRows(batch);
    } finally {
      await options.close();
    }
  }
  const headerLine = hasHeader ? first.line : undefined;
  const facts = { hasHeader, headerLine, delimiter, titleRows: title.rows };
  return { columns, ...facts, batches: readBatches() };
}

/** A title is searched for only where neither job nor flag says which line names the columns. */
function titleOf(
  sample: string,
  isWhole: boolean,
  dialect: SniffedDialect,
  { name, header, headerRow }: CsvOptions,
): CsvTitle {
  if (dialect.above === undefined) {
    throw new DossierError('INPUT_INVALID', `${name} has no line ${headerRow} to name its columns`);
  }
  if (header !== undefined || headerRow !== undefined) return { text: '', rows: 0 };
  return findCsvTitle(sample.slice(dialect.above.length), dialect, isWhole);
}

function toRow(
  number: number,
  record: RawRecord,
  cells: string[],
  { width, keepExtra }: { width: number; keepExtra(cells: readonly string[]): string[] },
): InputRow {
  const { line } = record;
  const problem = record.problem ?? findProblem(record, cells, width);
  const aligned: (string | undefined)[] = cells.length > width ? keepExtra(cells) : cells;
  while (aligned.length < width) aligned.push(undefined);
  return problem === undefined
    ? { number, line, cells: aligned }
    : { number, line, cells: aligned, problem };
}

function findProblem(record: RawRecord, cells: string[], width: number): string | undefined {
  if (record.text.includes('\0')) return `line ${record.line} holds zero bytes`;
  if (cells.length === width) return undefined;
  const found = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
  const mismatch = `line ${record.line} has ${found} instead of ${width}`;
  if (cells.slice(width).some((cell) => cell.trim() !== '')) return mismatch;
  if (cells.length < width && record.isDoubtful) return `${mismatch}; a quote may be misplaced`;
  return undefined;
}
