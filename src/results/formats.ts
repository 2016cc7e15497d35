import {
  type Column,
  type FlatRecord,
  maxNameBytes,
  nameEveryColumn,
} from '../core/columns/columns.ts';
import type { Table } from '../core/columns/tables.ts';
import type { AtomicFile } from '../core/runtime/files/atomic-file.ts';
import { type CsvOptions, csvHead, csvLine, jsonLine, openLineBuffer } from './lines.ts';
import type { Format, ManifestFile } from './manifest.ts';

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

/** Another format is another entry, and its name in the job. */
export const formats: Readonly<
  Record<
    Format,
    (
      target: AtomicFile,
      tables: readonly TableColumns[],
      options: CsvOptions,
    ) => Promise<RecordWriter>
  >
> = {
  csv: async (target, [one], options) =>
    writeLines(target, csvLine(options), csvHead(one?.columns ?? [], options)),
  // Rejects are fixed in it, and a list may have columns that differ only in capitals.
  jsonl: async (target, [one]) =>
    writeLines(target, jsonLine(nameEveryColumn(one?.columns ?? [], { tellsCase: true }))),
  async parquet(target, [one]) {
    // Loaded only here: its package is the largest of an export, and few ask for it.
    const { writeParquet } = await import('./parquet.ts');
    return writeParquet(target, nameEveryColumn(one?.columns ?? [], { maxBytes: maxNameBytes }));
  },
  async xlsx(target, tables) {
    const { writeWorkbook } = await import('./workbook/write-workbook.ts');
    return writeWorkbook(target, tables);
  },
};

function writeLines(
  target: AtomicFile,
  toLine: (record: FlatRecord) => string,
  head = '',
): RecordWriter {
  const lines = openLineBuffer(target);
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
      return { rows, ...(await target.seal()) };
    },
  };
}
