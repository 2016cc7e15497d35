import { join } from 'node:path';
import type { Column } from '../../records/columns/columns.ts';
import type { Table } from '../../records/tables.ts';
import { openAtomicFile } from '../../runtime/files/atomic-file.ts';
import type { Format } from '../manifest.ts';
import type { Sink } from '../sink.ts';
import { type Compression, compressionSuffix } from './compression.ts';
import { type FormatOptions, formats } from './formats.ts';

/** One table in one format. */
export interface RecordFile {
  readonly name: string;
  readonly table: Table;
  readonly format: Format;
}

/** `companies.csv.gz`. Parquet compresses inside, so that its name stays. */
export function nameFile(table: Table, format: Format, compress: Compression): RecordFile {
  const suffix = formats[format].isLines ? compressionSuffix[compress] : '';
  return { name: `${table}.${format}${suffix}`, table, format };
}

export async function openRecordFile(
  folder: string,
  { name, table, format }: RecordFile,
  columns: readonly Column[],
  options: FormatOptions,
): Promise<Sink> {
  const file = await openAtomicFile(join(folder, name));
  try {
    const writer = await formats[format].openWriter(file, columns, options);
    return {
      name,
      write: writer.write,
      prepare: async () => [{ name, table, format, ...(await writer.close()) }],
      commit: file.publish,
      abort: file.discard,
    };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
