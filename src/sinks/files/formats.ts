import { type Column, type FlatRecord, nameEveryColumn } from '../../records/columns/columns.ts';
import { type CsvOptions, csvHead, encodeCsv } from '../lines/encode-csv.ts';
import { encodeJsonl } from '../lines/encode-jsonl.ts';
import { writeLines } from '../lines/write-lines.ts';
import type { Format } from '../manifest.ts';
import { encodeParquet } from '../parquet/encode-parquet.ts';
import { type Compression, compressInto } from './compression.ts';
import type { ByteTarget, RecordWriter } from './record-writer.ts';

export interface FormatOptions extends CsvOptions {
  readonly compress: Compression;
}

interface FileFormat {
  /** Lines are bytes that can be compressed as a whole, and be made in a second thread. */
  readonly isLines: boolean;
  /** Gives a pure function from records to what the writer of this format takes. */
  encoder(
    columns: readonly Column[],
    options: Pick<FormatOptions, 'excelSafe'>,
  ): (records: readonly FlatRecord[]) => unknown;
  openWriter(
    target: ByteTarget,
    columns: readonly Column[],
    options: FormatOptions,
  ): Promise<RecordWriter>;
}

/** The formats of files. Another format is another entry, and its name in the job. */
export const formats: Readonly<Record<Format, FileFormat>> = {
  csv: {
    isLines: true,
    encoder: (_, { excelSafe }) => encodeCsv(excelSafe),
    openWriter: (target, columns, options) =>
      writeLines(compressInto(target, options.compress), csvHead(columns, options)),
  },
  jsonl: {
    isLines: true,
    encoder: (columns) => encodeJsonl(nameEveryColumn(columns)),
    openWriter: (target, _, { compress }) => writeLines(compressInto(target, compress), ''),
  },
  parquet: {
    isLines: false,
    encoder: (columns) => encodeParquet(columns),
    async openWriter(target, columns) {
      // Loaded only here: its package is the largest of an export, and few ask for it.
      const { writeParquet } = await import('../parquet/write-parquet.ts');
      return writeParquet(target, nameEveryColumn(columns));
    },
  },
};
