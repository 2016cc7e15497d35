import type { ColumnOrder } from '../records/choose-columns.ts';
import { type Column, type FlatRecord, maxNameBytes, nameEveryColumn } from '../records/columns.ts';
import type { Table } from '../records/tables.ts';
import type { AtomicFile } from '../runtime/files/atomic-file.ts';
import {
  type Compression,
  type CsvOptions,
  compressions,
  compressStream,
  csvHead,
  csvLine,
  jsonLine,
  openLineBuffer,
} from './lines.ts';
import type { Format, ManifestFile } from './manifest.ts';

export interface FormatOptions extends CsvOptions {
  readonly compress: Compression;
}

/** A table of a file, with the columns that the file has of it. */
export interface TableColumns {
  readonly table: Table;
  readonly columns: readonly Column[];
}

/** Writes the records of one file. */
export interface RecordWriter {
  /** `table` is the place of the record's table among those of the file. A promise is to be awaited. */
  write(record: FlatRecord, table: number): Promise<void> | undefined;
  close(): Promise<Omit<ManifestFile, 'name' | 'table' | 'format'>>;
  /** Removes what a writer keeps beside its file until it is closed. */
  discard?(): Promise<void>;
}

interface FileFormat {
  /** Files of lines are compressed as a whole. */
  readonly isLines: boolean;
  /** The order of the columns where the job names none. */
  readonly usualOrder: ColumnOrder;
  /** A file has one table, a workbook several. */
  openWriter(
    target: AtomicFile,
    tables: readonly TableColumns[],
    options: FormatOptions,
  ): Promise<RecordWriter>;
}

/** Another format is another entry, and its name in the job. */
export const formats: Readonly<Record<Format, FileFormat>> = {
  csv: {
    isLines: true,
    usualOrder: 'result-first',
    openWriter: async (target, [one], options) =>
      writeLines(target, options, csvLine(options), csvHead(one?.columns ?? [], options)),
  },
  jsonl: {
    isLines: true,
    usualOrder: 'result-first',
    // Rejects are mended in it, and a list may have columns that differ only in capitals.
    openWriter: async (target, [one], options) =>
      writeLines(
        target,
        options,
        jsonLine(nameEveryColumn(one?.columns ?? [], { tellsCase: true })),
      ),
  },
  parquet: {
    isLines: false,
    usualOrder: 'result-first',
    async openWriter(target, [one]) {
      // Loaded only here: its package is the largest of an export, and few ask for it.
      const { writeParquet } = await import('./parquet.ts');
      const columns = nameEveryColumn(one?.columns ?? [], { maxBytes: maxNameBytes });
      return writeParquet(target, columns);
    },
  },
  xlsx: {
    isLines: false,
    // People look for what they know: their own list.
    usualOrder: 'list-first',
    async openWriter(target, tables) {
      const { writeWorkbook } = await import('./workbook/write-workbook.ts');
      return writeWorkbook(target, tables);
    },
  },
};

function writeLines(
  target: AtomicFile,
  { compress }: FormatOptions,
  toLine: (record: FlatRecord) => string,
  head = '',
): RecordWriter {
  const compressor = compressions[compress].open?.();
  const packed = compressor && compressStream(compressor, target.write);
  const lines = openLineBuffer(packed ?? target);
  let rows = 0;
  // The header is short, so there is room for it.
  if (head !== '') void lines.add(head);
  return {
    write(record) {
      rows += 1;
      return lines.add(toLine(record));
    },
    async close() {
      await lines.flush();
      await packed?.end();
      return { rows, ...(await target.seal()) };
    },
  };
}
