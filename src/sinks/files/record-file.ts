import { join } from 'node:path';
import type { ColumnOrder } from '../../records/columns/column-order.ts';
import type { ColumnChoice } from '../../records/table-view.ts';
import type { Table } from '../../records/tables.ts';
import { openAtomicFile } from '../../runtime/files/atomic-file.ts';
import type { Format, ManifestFile } from '../manifest.ts';
import type { Sink } from '../sink.ts';
import { type Compression, compressionSuffix } from './compression.ts';
import { type FormatOptions, formats, type TableColumns } from './formats.ts';
import { isIntact } from './unchanged-file.ts';

/** One table in one format, or several in a workbook. */
export interface RecordFile {
  readonly name: string;
  readonly table: ManifestFile['table'];
  readonly tables: readonly Table[];
  readonly format: Format;
  readonly choice: ColumnChoice;
}

/** What the files of an export are made of. */
export interface FileOptions {
  readonly formats: readonly Format[];
  readonly compress: Compression;
  /** Columns of companies and people, by name, pattern or preset. */
  readonly columns: readonly string[];
  /** Undefined: the usual one of each format. */
  readonly order: ColumnOrder | undefined;
}

/** The files of an export: the workbook, then each table in its other formats. */
export function listFiles(tables: readonly Table[], options: FileOptions): RecordFile[] {
  const formatsAsked = [...new Set(options.formats)];
  const inWorkbook = tables.filter((table) => table !== changesTable);
  const workbook = formatsAsked.includes('xlsx')
    ? [nameFile('workbook', inWorkbook, 'xlsx', options)]
    : [];
  const others = tables.flatMap((table) =>
    formatsAsked
      .filter((format) => format !== 'xlsx' || table === changesTable)
      .map((format) => nameFile(table, [table], format, options)),
  );
  return [...workbook, ...others];
}

/** Changes are of one run alone: in the workbook they would make it another file every night. */
const changesTable = 'changes' satisfies Table;

/** `companies.csv.gz`. Parquet and workbooks compress inside, so that their names stay. */
function nameFile(
  table: RecordFile['table'],
  tables: readonly Table[],
  format: Format,
  { compress, columns, order }: FileOptions,
): RecordFile {
  const suffix = formats[format].isLines ? compressionSuffix[compress] : '';
  const choice = { columns, order: order ?? formats[format].usualOrder };
  return { name: `${table}.${format}${suffix}`, table, tables, format, choice };
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
  recordFile: RecordFile,
  tables: readonly TableColumns[],
  options: FormatOptions,
  last: ManifestFile | undefined,
): Promise<RecordFileSink> {
  const { name, table, format } = recordFile;
  const file = await openAtomicFile(join(folder, name));
  let isSame = false;
  try {
    const writer = await formats[format].openWriter(file, tables, options);
    return {
      name,
      file: recordFile,
      write: writer.write,
      async prepare() {
        const written = { name, table, format, ...(await writer.close()) };
        // A file that is the same stays, so that its time tells when its content last changed.
        isSame = last?.sha256 === written.sha256 && (await isIntact(folder, written));
        return [written];
      },
      commit: () => (isSame ? file.discard() : file.publish()),
      async abort() {
        await writer.discard?.();
        await file.discard();
      },
      isUnchanged: () => isSame,
    };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
