import type { ColumnOrder } from '../../records/columns/column-order.ts';
import {
  type Column,
  type FlatRecord,
  maxNameBytes,
  nameEveryColumn,
} from '../../records/columns/columns.ts';
import type { Table } from '../../records/tables.ts';
import type { AtomicFile } from '../../runtime/files/atomic-file.ts';
import { type CsvOptions, csvHead, encodeCsv } from '../lines/encode-csv.ts';
import { encodeJsonl } from '../lines/encode-jsonl.ts';
import { writeLines } from '../lines/write-lines.ts';
import type { Format } from '../manifest.ts';
import { encodeParquet } from '../parquet/encode-parquet.ts';
import { type Compression, compressInto } from './compression.ts';
import type { RecordWriter } from './record-writer.ts';

export interface FormatOptions extends CsvOptions {
  readonly compress: Compression;
}

/** What the lines of CSV depend on. */
export type EncodeOptions = Pick<FormatOptions, 'excelSafe' | 'delimiter'>;

/** A table of a file, with the columns that the file has of it. */
export interface TableColumns {
  readonly table: Table;
  readonly columns: readonly Column[];
}

/** Gives what the writer of a format takes of the records of each table in a file. */
export type TablesEncoder = (records: readonly (readonly FlatRecord[])[]) => unknown;

interface FileFormat {
  /** Lines are bytes that can be compressed as a whole, and be made in a second thread. */
  readonly isLines: boolean;
  /** The order of the columns where the job names none. */
  readonly usualOrder: ColumnOrder;
  /** Gives a pure function. A file has one table, but for a workbook. */
  encoder(tables: readonly TableColumns[], options: EncodeOptions): TablesEncoder;
  openWriter(
    target: AtomicFile,
    tables: readonly TableColumns[],
    options: FormatOptions,
  ): Promise<RecordWriter>;
}

/** The formats of files. Another format is another entry, and its name in the job. */
export const formats: Readonly<Record<Format, FileFormat>> = {
  csv: {
    isLines: true,
    usualOrder: 'result-first',
    encoder: (_, options) => ofOneTable(encodeCsv(options)),
    openWriter: (target, tables, options) =>
      writeLines(compressInto(target, options.compress), csvHead(columnsOf(tables), options)),
  },
  jsonl: {
    isLines: true,
    usualOrder: 'result-first',
    encoder: (tables) =>
      // Rejects are mended in it, and a list may have columns that differ only in capitals.
      ofOneTable(encodeJsonl(nameEveryColumn(columnsOf(tables), { tellsCase: true }))),
    openWriter: (target, _, { compress }) => writeLines(compressInto(target, compress), ''),
  },
  parquet: {
    isLines: false,
    usualOrder: 'result-first',
    encoder: (tables) => ofOneTable(encodeParquet(columnsOf(tables))),
    async openWriter(target, tables) {
      // Loaded only here: its package is the largest of an export, and few ask for it.
      const { writeParquet } = await import('../parquet/write-parquet.ts');
      return writeParquet(target, nameEveryColumn(columnsOf(tables), { maxBytes: maxNameBytes }));
    },
  },
  xlsx: {
    isLines: false,
    // People look for what they know: their own list.
    usualOrder: 'list-first',
    // A row of a sheet has its number in every cell, which is known when it is written.
    encoder: () => (records) => records,
    async openWriter(target, tables) {
      const { writeWorkbook } = await import('../workbook/write-workbook.ts');
      return writeWorkbook(target, tables);
    },
  },
};

function columnsOf([first]: readonly TableColumns[]): readonly Column[] {
  return first?.columns ?? [];
}

function ofOneTable(encode: (records: readonly FlatRecord[]) => unknown): TablesEncoder {
  return ([records = []]) => encode(records);
}
