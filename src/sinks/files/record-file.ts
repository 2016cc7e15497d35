import { join } from 'node:path';
import type { Column } from '../../records/columns/columns.ts';
import type { Table } from '../../records/tables.ts';
import { openAtomicFile } from '../../runtime/files/atomic-file.ts';
import type { Format, ManifestFile } from '../manifest.ts';
import type { Sink } from '../sink.ts';
import { type Compression, compressionSuffix } from './compression.ts';
import { type FormatOptions, formats } from './formats.ts';
import { isIntact } from './unchanged-file.ts';

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

/** A file of records that may turn out to be the one that is there. */
export interface RecordFileSink extends Sink {
  readonly file: RecordFile;
  /** Whether it has stayed as it was. Known when it is prepared. */
  isUnchanged(): boolean;
}

/** `last` is the file of this name that the last export has written. */
export async function openRecordFile(
  folder: string,
  { name, table, format }: RecordFile,
  columns: readonly Column[],
  options: FormatOptions,
  last: ManifestFile | undefined,
): Promise<RecordFileSink> {
  const file = await openAtomicFile(join(folder, name));
  let isSame = false;
  try {
    const writer = await formats[format].openWriter(file, columns, options);
    return {
      name,
      file: { name, table, format },
      write: writer.write,
      async prepare() {
        const written = { name, table, format, ...(await writer.close()) };
        // A file that is the same stays, so that its time tells when its content last changed.
        isSame = last?.sha256 === written.sha256 && (await isIntact(folder, written));
        return [written];
      },
      commit: () => (isSame ? file.discard() : file.publish()),
      abort: file.discard,
      isUnchanged: () => isSame,
    };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
