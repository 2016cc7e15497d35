import { join } from 'node:path';
import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import { nameEveryColumn } from '../../records/reject-record.ts';
import { assertNever } from '../../runtime/assert-never.ts';
import { type AtomicFile, openAtomicFile } from '../../runtime/atomic-file.ts';
import { type CsvOptions, writeCsv } from '../lines/write-csv.ts';
import { writeJsonl } from '../lines/write-jsonl.ts';
import type { Format, ManifestFile, Table } from '../manifest.ts';
import { type Compression, compressInto, compressionSuffix } from './compression.ts';
import type { RecordWriter } from './record-writer.ts';

export interface TableOptions extends CsvOptions {
  readonly folder: string;
  readonly formats: readonly Format[];
  readonly compress: Compression;
}

/** One table in all its formats. A record goes to each of them, so that rows are read once. */
export interface TableFiles {
  write(record: FlatRecord): Promise<void> | undefined;
  /** Writes lines that were made elsewhere, one text for each format in the order of the options. */
  append(texts: readonly Uint8Array[], rows: number): Promise<void>;
  close(): Promise<ManifestFile[]>;
  publish(): Promise<void>;
  discard(): Promise<void>;
}

export async function openTableFiles(
  table: Table,
  columns: readonly Column[],
  options: TableOptions,
): Promise<TableFiles> {
  const files: OpenFile[] = [];
  const discard = async () => {
    for (const { file } of files) await file.discard();
  };
  try {
    for (const format of options.formats) {
      const name = fileName(table, format, options.compress);
      const file = await openAtomicFile(join(options.folder, name));
      files.push({ name, format, file, writer: await openWriter(file, format, columns, options) });
    }
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    write(record) {
      const waits: Promise<void>[] = [];
      for (const { writer } of files) {
        const wait = writer.write(record);
        if (wait !== undefined) waits.push(wait);
      }
      return waits.length === 0 ? undefined : waitForAll(waits);
    },
    async append(texts, rows) {
      for (const [index, { writer, name }] of files.entries()) {
        if (!writer.append) throw new Error(`${name} is no file of lines`);
        await writer.append(texts[index] ?? new Uint8Array(), rows);
      }
    },
    async close() {
      const facts: ManifestFile[] = [];
      for (const { name, format, writer } of files) {
        facts.push({ name, table, format, ...(await writer.close()) });
      }
      return facts;
    },
    async publish() {
      for (const { file } of files) await file.publish();
    },
  };
}

interface OpenFile {
  readonly name: string;
  readonly format: Format;
  readonly file: AtomicFile;
  readonly writer: RecordWriter;
}

async function waitForAll(waits: readonly Promise<void>[]): Promise<void> {
  await Promise.all(waits);
}

/** Parquet compresses inside, so its name stays. */
function fileName(table: Table, format: Format, compress: Compression): string {
  return `${table}.${format}${format === 'parquet' ? '' : compressionSuffix[compress]}`;
}

async function openWriter(
  file: AtomicFile,
  format: Format,
  columns: readonly Column[],
  options: TableOptions,
): Promise<RecordWriter> {
  switch (format) {
    case 'csv':
      return writeCsv(compressInto(file, options.compress), columns, options);
    case 'jsonl':
      return writeJsonl(compressInto(file, options.compress), nameEveryColumn(columns));
    case 'parquet': {
      // Loaded only here: its package is the largest of an export, and few ask for it.
      const { writeParquet } = await import('../parquet/write-parquet.ts');
      return writeParquet(file, nameEveryColumn(columns), options.compress);
    }
    default:
      return assertNever(format);
  }
}
