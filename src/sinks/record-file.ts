import { join } from 'node:path';
import type { ColumnOrder } from '../records/choose-columns.ts';
import { type ColumnChoice, viewTable } from '../records/table-view.ts';
import type { Table } from '../records/tables.ts';
import { openAtomicFile } from '../runtime/files/atomic-file.ts';
import { isIntact } from './export-folder.ts';
import { type FormatOptions, formats } from './formats.ts';
import { compressions } from './lines.ts';
import type { Format, ManifestFile } from './manifest.ts';
import type { Output, RecordSink } from './sink.ts';

/** One table in one format, or several in a workbook. */
interface RecordFile {
  readonly name: string;
  readonly table: ManifestFile['table'];
  readonly tables: readonly Table[];
  readonly format: Format;
  readonly choice: ColumnChoice;
}

/** What the files of an export are made of. */
export interface FileOptions extends FormatOptions {
  readonly formats: readonly Format[];
  /** Columns of companies and people, by name, pattern or preset. */
  readonly columns: readonly string[];
  /** Undefined: the usual one of each format. */
  readonly order: ColumnOrder | undefined;
}

/** The files of an export: the workbook, then each table in its other formats. */
export function listFiles(all: readonly Table[], options: FileOptions): RecordFile[] {
  /** `companies.csv.gz`. Parquet and workbooks compress inside, so that their names stay. */
  const nameFile = (table: RecordFile['table'], tables: readonly Table[], format: Format) => {
    const { isLines, usualOrder } = formats[format];
    const suffix = isLines ? compressions[options.compress].suffix : '';
    const choice = { columns: options.columns, order: options.order ?? usualOrder };
    return { name: `${table}.${format}${suffix}`, table, tables, format, choice };
  };
  const asked = [...new Set(options.formats)];
  // Changes are of one run alone: in the workbook they would make it another file every night.
  const inWorkbook = all.filter((table) => table !== 'changes');
  const workbook = asked.includes('xlsx') ? [nameFile('workbook', inWorkbook, 'xlsx')] : [];
  const others = all.flatMap((table) =>
    asked
      .filter((format) => format !== 'xlsx' || table === 'changes')
      .map((format) => nameFile(table, [table], format)),
  );
  return [...workbook, ...others];
}

/** A file of records that may turn out to be the one that is there. */
export interface RecordFileSink extends Output {
  readonly name: string;
  /** One for each of its tables. */
  readonly sinks: readonly RecordSink[];
  /** Whether it has stayed as it was. Known when it is prepared. */
  isUnchanged(): boolean;
}

/** `last` is the file of this name that the last export has written. */
export async function openRecordFile(
  folder: string,
  { name, table, tables, format, choice }: RecordFile,
  headers: readonly string[],
  options: FormatOptions,
  last: ManifestFile | undefined,
): Promise<RecordFileSink> {
  const views = tables.map((one) => viewTable(one, headers, choice));
  const file = await openAtomicFile(join(folder, name));
  let isSame = false;
  try {
    const writer = await formats[format].openWriter(file, views, options);
    return {
      name,
      sinks: views.map((view, index) => ({
        write(source) {
          const record = view.record(source);
          return record && writer.write(record, index);
        },
      })),
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
