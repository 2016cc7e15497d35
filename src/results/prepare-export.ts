import { join } from 'node:path';
import { type ColumnOrder, viewTable } from '../core/columns/choose-columns.ts';
import { type Table, tables } from '../core/columns/tables.ts';
import type { ReferenceNames } from '../core/contract/reference.ts';
import {
  type AtomicFile,
  openAtomicFile,
  outputTrouble,
  removeLeftovers,
  syncFolder,
} from '../core/runtime/files/atomic-file.ts';
import { makeFolder } from '../core/runtime/files/disk.ts';
import { lockFolder } from '../engine/ledger/file/locks.ts';
import { isIntact, readManifest, removeStaleFiles } from './export-folder.ts';
import { formats } from './formats.ts';
import type { CsvOptions } from './lines.ts';
import type { Format, Manifest, ManifestFile, ManifestHead } from './manifest.ts';
import {
  onlyChanges,
  type PreparedExport,
  type ReceivedRun,
  type RecordSink,
  type RecordSource,
  type ReportText,
  writeRecords,
} from './sink.ts';
import { openRunTally, type RunTally } from './tally/run-tally.ts';

/** What the files of an export are made of. */
export interface FileOptions extends CsvOptions {
  readonly formats: readonly Format[];
  /** Columns of companies and people, by name, pattern or preset. */
  readonly columns: readonly string[];
  /** Undefined: the usual one of each format. */
  readonly order?: ColumnOrder | undefined;
}

export interface ExportOptions extends FileOptions {
  readonly folder: string;
  readonly facts: ManifestHead;
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  /** Opens the report of a folder; without it there is none. */
  readonly openReport?: ((folder: string) => ReportText) | undefined;
  /** Gives the tally of the result that the folder holds, where the run comes to the same. */
  readonly findSame?: ((folder: Manifest) => SameTally | undefined) | undefined;
  /** The changes that a destination lacks which last received this run, in the place of those of the source. */
  readonly catchUp?: ((received: ReceivedRun) => Partial<RecordSource>) | undefined;
  /** Called when every record is read; throws where what was read is not the whole run. */
  readonly confirm?: (() => void) | undefined;
  /** Aborted to stop before the first file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface SameTally {
  readonly tally: RunTally | undefined;
}

/**
 * Writes a run to all files of a folder. Every file is whole on the disk under a temporary name before the
 * first is renamed by `commit`, and the manifest comes last: a folder whose files fit their manifest is one
 * export. The folder is locked until it is committed or aborted.
 */
export async function prepareExport(source: RecordSource, options: ExportOptions) {
  const { folder, facts, signal } = options;
  makeOutputFolder(folder);
  const lock = await lockFolder(folder, { signal });
  const files: RecordFile[] = [];
  const pages: AtomicFile[] = [];
  let isOver = false;
  const abort = async () => {
    if (isOver) return;
    isOver = true;
    using _lock = lock;
    for (const file of [...files, ...pages]) await file.discard();
  };
  const writePage = async (name: string, text: string) => {
    const page = await openAtomicFile(join(folder, name));
    pages.push(page);
    await page.write(Buffer.from(text));
    await page.seal();
  };
  try {
    const all = listFiles(source.records.hasPeople, options);
    await removeLeftovers(folder);
    const last = await readManifest(folder);
    const same = last && (await findSame(last, all, options));
    for (const file of all) {
      if (same && file.table !== 'changes') continue;
      const before = last?.files.find(({ name }) => name === file.name);
      files.push(await openRecordFile(file, source.records.inputColumns, options, before));
    }
    const report = options.openReport?.(folder);
    const counting = report && openRunTally();
    const sinks = files.flatMap((file) => file.sinks);
    if (counting) sinks.push({ write: counting.add });
    const read = same ? onlyChanges(source) : source;
    const records = await writeRecords(read, sinks, options.names, signal);
    const shown = same ? { ...records, rows: last.rows, people: last.people } : records;
    const counted = counting?.facts();
    const tally = counted && same?.tally ? { ...same.tally, changes: counted.changes } : counted;
    const unchanged = same?.files.map(({ name }) => name) ?? [];
    const written = same?.files ?? [];
    for (const file of files) {
      const { isSame, ...facts } = await file.seal();
      written.push(facts);
      if (isSame) unchanged.push(facts.name);
      signal?.throwIfAborted();
    }
    const result = { ...shown, files: written };
    const page = tally && report?.(result, tally);
    if (page !== undefined) await writePage('report.html', page);
    const manifest: Manifest = { ...facts, ...result };
    await writePage('manifest.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
    signal?.throwIfAborted();
    options.confirm?.();
    return {
      place: folder,
      abort,
      async commit() {
        try {
          for (const file of files) await file.publish();
          // The renames are on the disk before an old file is removed.
          await syncFolder(folder);
          await removeStaleFiles(folder, last?.files ?? [], written, options.formats);
          for (const file of pages) {
            await file.publish();
            await syncFolder(folder);
          }
          return { folder, ...result, isSame: same !== undefined, unchanged, tally };
        } finally {
          await abort();
        }
      },
    } satisfies PreparedExport;
  } catch (error) {
    await abort();
    throw error;
  }
}

export function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw outputTrouble(folder, error);
  }
}

/** The files of the last export, where the run comes to the same and each is on the disk as its manifest says. */
async function findSame(
  last: Manifest,
  all: ReturnType<typeof listFiles>,
  { folder, findSame: look, openReport }: ExportOptions,
) {
  const same = look?.(last);
  // A report needs what was counted of all records.
  if (!same || (openReport && !same.tally)) return undefined;
  const files: ManifestFile[] = [];
  for (const { name } of all.filter(({ table }) => table !== 'changes')) {
    const file = last.files.find((other) => other.name === name);
    if (!file || !(await isIntact(folder, file))) return undefined;
    files.push(file);
  }
  return { tally: same.tally, files };
}

/** The files of an export: the workbook, then each table in its other formats. */
function listFiles(hasPeople: boolean, options: FileOptions) {
  const all = (Object.keys(tables) as Table[]).filter((table) => table !== 'people' || hasPeople);
  const asked = [...new Set(options.formats)];
  const nameFile = (table: ManifestFile['table'], inFile: readonly Table[], format: Format) => {
    return { name: `${table}.${format}`, table, tables: inFile, format };
  };
  // Changes are of one run alone: in the workbook they would make it another file every night.
  const inWorkbook = all.filter((table) => table !== 'changes');
  return [
    ...(asked.includes('xlsx') ? [nameFile('workbook', inWorkbook, 'xlsx')] : []),
    ...all.flatMap((table) =>
      asked
        .filter((format) => format !== 'xlsx' || table === 'changes')
        .map((format) => nameFile(table, [table], format)),
    ),
  ];
}

type RecordFile = Awaited<ReturnType<typeof openRecordFile>>;

/** One table in one format, or several in a workbook. `last` is the file of this name in the last export. */
async function openRecordFile(
  { name, table, tables: inFile, format }: ReturnType<typeof listFiles>[number],
  headers: readonly string[],
  { folder, ...options }: ExportOptions,
  last: ManifestFile | undefined,
) {
  // People look for what they know in a workbook: their own list.
  const usual = format === 'xlsx' ? 'list-first' : 'result-first';
  const choice = { columns: options.columns, order: options.order ?? usual };
  const views = inFile.map((one) => viewTable(one, headers, choice));
  const file = await openAtomicFile(join(folder, name));
  try {
    const writer = await formats[format](file, views, options);
    let isSame = false;
    return {
      sinks: views.map(
        (view, index): RecordSink => ({
          write(source) {
            const record = view.record(source);
            return record && writer.write(record, index);
          },
        }),
      ),
      async seal() {
        const written: ManifestFile = { name, table, format, ...(await writer.close()) };
        // A file that is the same stays, so its time tells when its content last changed.
        isSame = last?.sha256 === written.sha256 && (await isIntact(folder, written));
        return { ...written, isSame };
      },
      publish: () => (isSame ? file.discard() : file.publish()),
      async discard() {
        await writer.discard?.();
        await file.discard();
      },
    };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
