import {
  type Column,
  type FlatRecord,
  maxNameBytes,
  nameEveryColumn,
} from '../core/columns/columns.ts';
import type { CopiedRow, TableName } from '../core/columns/tables.ts';
import type { AtomicFile } from '../platform/files/atomic-file.ts';
import { type CsvOptions, createLineBuffer, csvHead, csvLine, jsonLine } from './lines.ts';
import type { Format, ManifestFile } from './manifest.ts';

export interface TableToWrite {
  readonly table: TableName;
  readonly columns: readonly Column[];
}

export interface RecordWriter {
  /** If it returns a promise, await it before the next record. */
  write(record: FlatRecord, table: number): Promise<void> | undefined;
  /** For CSV as companies are kept. */
  copy?(row: CopiedRow): Promise<void> | undefined;
  /** Records as an earlier file has them. */
  addWritten?(pieces: AsyncIterable<Uint8Array>, records: number): Promise<void>;
  close(): Promise<Omit<ManifestFile, 'name' | 'table' | 'format'>>;
  discard?(): Promise<void>;
}

export const formats: Readonly<
  Record<
    Format,
    (
      target: AtomicFile,
      tables: readonly TableToWrite[],
      options: CsvOptions,
    ) => Promise<RecordWriter>
  >
> = {
  csv: async (target, [one], options) =>
    writeLines(
      target,
      csvLine(options),
      csvHead(one?.columns ?? [], options),
      !options.excelSafe && options.delimiter === ',',
    ),
  // Rejects may have columns that differ only in case, and JSON can keep both.
  jsonl: async (target, [one]) =>
    writeLines(target, jsonLine(nameEveryColumn(one?.columns ?? [], { isCaseSensitive: true }))),
  async parquet(target, [one]) {
    // Loaded on demand: the largest package of an export.
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
  isLikeKept = false,
): RecordWriter {
  const lines = createLineBuffer(target);
  let rows = 0;
  // The header always fits into the buffer.
  if (head !== '') void lines.add(head);
  const copy = ({ around: [before, after], company }: CopiedRow) => {
    rows += 1;
    const start = `${toLine(before).slice(0, -1)},`;
    return lines.copy(start, company.csv, after.length > 0 ? `,${toLine(after)}` : '\n');
  };
  return {
    write(record) {
      rows += 1;
      return lines.add(toLine(record));
    },
    ...(isLikeKept && { copy }),
    async addWritten(pieces, records) {
      rows += records;
      for await (const bytes of pieces) await lines.addBytes(bytes);
    },
    async close() {
      await lines.flush();
      return { rows, ...(await target.seal()) };
    },
  };
}
