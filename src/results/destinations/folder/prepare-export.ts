import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ColumnOrder, viewTable } from '../../../core/columns/choose-columns.ts';
import type { RecordedRow, SameRows } from '../../../core/columns/run-records.ts';
import { CopiedRow, flattenRow } from '../../../core/columns/tables.ts';
import {
  type AtomicFile,
  openAtomicFile,
  outputError,
  removeLeftovers,
  syncFolder,
} from '../../../platform/files/atomic-file.ts';
import { hasherIn } from '../../../platform/files/checksums.ts';
import { makeFolder } from '../../../platform/files/disk.ts';
import { lockFolder } from '../../../platform/files/lock-file.ts';
import { openThread, type Thread } from '../../../platform/thread/thread.ts';
import { type ListedFile, listFiles, manifestName, reportName } from '../../file-names.ts';
import { formats } from '../../formats.ts';
import type { CsvOptions } from '../../lines.ts';
import type { Format, Manifest, ManifestFile } from '../../manifest.ts';
import {
  countRow,
  onlyChanges,
  type PreparedExport,
  type RecordSink,
  type RecordSource,
  withSameRecords,
  writeRecords,
} from '../../sink.ts';
import { createRunTally } from '../../tally/run-tally.ts';
import { openWrittenRecords } from '../../written-records.ts';
import type { WriteOptions } from '../destination.ts';
import { isIntact, isUntouched, readManifest, removeStaleFiles } from './export-folder.ts';

export interface FileOptions extends CsvOptions {
  readonly formats: readonly Format[];
  readonly columns: readonly string[];
  readonly order?: ColumnOrder | undefined;
}

export interface ExportOptions extends FileOptions, Omit<WriteOptions, 'pathValues' | 'ledger'> {
  readonly folder: string;
}

/** Files have temporary names until `commit`, which renames the manifest last. */
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
    const all = listFiles(source.records.hasPeople, options.formats);
    await removeLeftovers(folder);
    const last = await readManifest(folder);
    const same = last && (await findSame(last, all, options));
    const kept = last && (same ? undefined : await findKept(last, all, options, source.records));
    const isAlone = same || !options.isLong || availableParallelism() === 1;
    await using thread = isAlone ? undefined : openThread();
    for (const file of all) {
      if (same && file.table !== 'changes') continue;
      const before = last?.files.find(({ name }) => name === file.name);
      files.push(await openRecordFile(file, source.records, options, before, kept, thread));
    }
    const known = { same, kept };
    const { result, unchanged, tally, page } = await writeFiles(source, files, options, known);
    if (page !== undefined) await writePage(reportName, page);
    const manifest: Manifest = { ...facts, ...result };
    await writePage(manifestName, `${JSON.stringify(manifest, undefined, 2)}\n`);
    signal?.throwIfAborted();
    options.confirm?.();
    return {
      abort,
      async commit() {
        try {
          for (const file of files) await file.publish();
          // The renames must be on disk before old files are removed.
          await syncFolder(folder);
          await removeStaleFiles(folder, last?.files ?? [], result.files, options.formats);
          for (const file of pages) {
            await file.publish();
            await syncFolder(folder);
          }
          const replaced = last?.job === facts.job && options.isLater(last) ? last : undefined;
          const isSame = same !== undefined;
          return { folder, ...result, isSame, unchanged, tally, replaced };
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

/** Writes only the files that `same` does not already hold. */
async function writeFiles(
  source: RecordSource,
  files: readonly RecordFile[],
  { folder, reference, createReport, signal }: ExportOptions,
  { same, kept }: { readonly same: Same | undefined; readonly kept: Kept | undefined },
) {
  const report = createReport?.(folder);
  const counting = report && (kept?.tally ?? createRunTally());
  const sinks = files.flatMap((file) => file.sinks);
  // `findKept` has counted the rows.
  if (counting)
    sinks.push({ write: kept ? ({ change }) => counting.add({ change }) : counting.add });
  const changed = kept ? { ...source, rows: kept.rowsToWrite } : source;
  const read = same ? onlyChanges(source) : changed;
  const records = await writeRecords(read, sinks, reference, signal);
  const written = same ? [...same.files] : [];
  const unchanged = written.map(({ name }) => name);
  for (const file of files) {
    const { isSame, ...facts } = await file.seal();
    written.push(facts);
    if (isSame) unchanged.push(facts.name);
    signal?.throwIfAborted();
  }
  const shown = same ? withSameRecords(records, same.last) : records;
  const result = { ...shown, ...(kept && { rows: kept.rows }), files: written };
  const counted = counting?.facts();
  const tally = counted && same?.tally ? { ...same.tally, changes: counted.changes } : counted;
  return { result, unchanged, tally, page: tally && report?.(result, tally) };
}

export function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw outputError(folder, error);
  }
}

async function findSame(
  last: Manifest,
  all: readonly ListedFile[],
  { folder, findSame: look, createReport }: ExportOptions,
) {
  const same = look?.(last);
  // A report needs the tally. If no tally is stored, all records are written and counted again.
  if (!same || (createReport && !same.tally)) return undefined;
  const files: ManifestFile[] = [];
  for (const { name } of all.filter(({ table }) => table !== 'changes')) {
    const file = last.files.find((other) => other.name === name);
    // A small file may be as young as the manifest, so its bytes decide.
    const isThere = file && (isUntouched(folder, file) || (await isIntact(folder, file)));
    if (!isThere) return undefined;
    files.push(file);
  }
  return { tally: same.tally, files, last };
}

type Same = NonNullable<Awaited<ReturnType<typeof findSame>>>;
type Kept = NonNullable<Awaited<ReturnType<typeof findKept>>>;

/** If a few rows have changed, the lines of the others are copied from the last file. */
async function findKept(
  last: Manifest,
  all: readonly ListedFile[],
  { folder, findDifference, createReport, signal }: ExportOptions,
  { inputColumns }: RecordSource['records'],
) {
  const [companies, ...others] = all.filter(({ tables }) => tables.includes('companies'));
  if (companies?.format !== 'csv' || others.length > 0) return undefined;
  // They are counted by field, so all companies would be read.
  if (last.warnings.some(({ kind }) => kind === 'misfit')) return undefined;
  const found = findDifference?.(last);
  // Version 0.9.0 stored none.
  if (!found || (createReport && !found.tally?.oldestTimes)) return undefined;
  const { difference, tally: before } = found;
  const file = last.files.find(({ name }) => name === companies.name);
  if (file?.rows !== difference.rowsBefore) return undefined;
  const tally = createReport && createRunTally(before);
  const rows = { ...last.rows };
  const flat = (read: RecordedRow | undefined) =>
    read && flattenRow(read.record, inputColumns.length);
  for (const { before, after } of difference.changed()) {
    const [was, is] = [flat(before), flat(after)];
    if (tally && !tally.replace(was, is)) return undefined;
    if (was) countRow(rows, was.row, -1);
    if (is) countRow(rows, is.row);
    await nextTurn();
    signal?.throwIfAborted();
  }
  // A copied mistake would get a correct checksum.
  if (!(await isIntact(folder, file))) return undefined;
  return { table: companies.table, rows, tally, rowsToWrite: difference.rows };
}

type RecordFile = Awaited<ReturnType<typeof openRecordFile>>;

async function openRecordFile(
  { name, table, tables: inFile, format }: ListedFile,
  { inputColumns: headers, hasServices, hasRegister }: RecordSource['records'],
  { folder, ...options }: ExportOptions,
  last: ManifestFile | undefined,
  kept: Kept | undefined,
  thread: Thread | undefined,
) {
  // People who open a workbook look for the columns of their own list first.
  const usual = format === 'xlsx' ? 'list-first' : 'result-first';
  const choice = {
    columns: options.columns,
    order: options.order ?? usual,
    hasServices,
    hasRegister,
  };
  const views = inFile.map((one) => viewTable(one, headers, choice));
  const file = await openAtomicFile(join(folder, name), thread && (await hasherIn(thread)));
  try {
    const writer = await formats[format](file, views, options);
    const earlier = kept?.table === table ? await openWrittenRecords(file.path) : undefined;
    let next = 0;
    const copySame = async ({ first, last: end }: SameRows) => {
      for await (const _ of earlier?.take(first - next) ?? []);
      next = end + 1;
      const count = next - first;
      if (earlier) await writer.addWritten?.(earlier.take(count), count);
    };
    let isSame = false;
    return {
      sinks: views.map(
        (view, index): RecordSink => ({
          write(source) {
            const { row, same } = source;
            if (same) return earlier && copySame(same);
            if (view.isWhole && writer.copy && row instanceof CopiedRow) return writer.copy(row);
            const record = view.record(source);
            return record && writer.write(record, index);
          },
        }),
      ),
      async seal() {
        const written: ManifestFile = { name, table, format, ...(await writer.close()) };
        // An equal file is not replaced, so its modification time shows the last change.
        isSame = last?.sha256 === written.sha256 && (await isIntact(folder, written));
        return { ...written, isSame };
      },
      publish: () => (isSame ? file.discard() : file.publish()),
      async discard() {
        await earlier?.close();
        await writer.discard?.();
        await file.discard();
      },
    };
  } catch (error) {
    await file.discard();
    throw error;
  }
}
