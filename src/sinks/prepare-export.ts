import { join } from 'node:path';
import type { ReferenceNames } from '../contract/reference.ts';
import { lockFolder } from '../ledger/file/locks.ts';
import { viewTable } from '../records/table-view.ts';
import { type Table, tables } from '../records/tables.ts';
import { outputTrouble, removeLeftovers } from '../runtime/files/atomic-file.ts';
import { makeFolder } from '../runtime/files/make-folder.ts';
import type { FormatOptions } from './files/formats.ts';
import { readManifest } from './files/read-manifest.ts';
import {
  type FileOptions,
  listFiles,
  openRecordFile,
  type RecordFileSink,
} from './files/record-file.ts';
import {
  findSameFiles,
  isOfChanges,
  onlyChanges,
  type SameFiles,
  type SameTally,
} from './files/same-files.ts';
import { openStaleFiles } from './files/stale-files.ts';
import { keptFile } from './files/unchanged-file.ts';
import type { Manifest, ManifestFacts, ManifestFile, RecordCounts } from './manifest.ts';
import type { ExportSummary, PreparedExport } from './prepared-export.ts';
import type { Output, Sink, WrittenRecords } from './sink.ts';
import { openRunTally, type RunTally, tallyName } from './tally/run-tally.ts';
import { openTextOutput } from './text-output.ts';
import { type RecordSource, writeRecords } from './write-records.ts';

export interface ExportOptions extends FormatOptions, FileOptions {
  readonly folder: string;
  readonly facts: ManifestFacts;
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  /** Opens the sink of the report in a folder, which takes the tallies of batches; without it there is no report. */
  readonly openReport?: ((folder: string) => Sink) | undefined;
  /** Looks whether the run comes to the result that the folder holds. */
  readonly findSame?: ((folder: Manifest) => SameTally | undefined) | undefined;
  /** Called when every record is read; throws where what was read is not the whole run. */
  readonly confirm?: (() => void) | undefined;
  /** Aborted to stop before the first file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a run to all sinks of a folder. Every file is whole on the disk under a temporary name before the
 * first is renamed by `commit`, and the manifest comes last: a folder whose files fit their manifest is one
 * export. The folder is locked until it is committed or aborted.
 */
export async function prepareExport(
  source: RecordSource,
  options: ExportOptions,
): Promise<PreparedExport> {
  const { folder, signal } = options;
  makeOutputFolder(folder);
  const lock = await lockFolder(folder, { signal });
  const outputs: Output[] = [];
  let isOver = false;
  const end = async () => {
    if (isOver) return;
    isOver = true;
    using _lock = lock;
    for (const output of outputs) await output.abort();
  };
  try {
    const summarise = await writeFiles(source, options, outputs);
    return {
      place: folder,
      async commit() {
        try {
          for (const output of outputs) await output.commit();
          return summarise();
        } finally {
          await end();
        }
      },
      abort: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Fills `outputs`, in the order in which they are to be shown, and gives what there is to say afterwards. */
async function writeFiles(
  source: RecordSource,
  options: ExportOptions,
  outputs: Output[],
): Promise<() => ExportSummary> {
  const { folder, names, signal, confirm } = options;
  const headers = source.records.inputColumns;
  const files = listFiles(tablesOf(source), options);
  await removeLeftovers(folder);
  const last = await readManifest(folder);
  const same = last && (await findSame(last, files, options));
  outputs.push(...(same?.files ?? []).map(keptFile));
  const sinks: RecordFileSink[] = [];
  for (const file of same ? files.filter(isOfChanges) : files) {
    const views = file.tables.map((table) => viewTable(table, headers, file.choice));
    const before = last?.files.find(({ name }) => name === file.name);
    const sink = await openRecordFile(folder, file, views, options, before);
    sinks.push(sink);
    outputs.push(sink);
  }
  const stale = openStaleFiles(folder, last?.files ?? [], options.formats);
  const report = options.openReport?.(folder);
  const manifest = openTextOutput(join(folder, 'manifest.json'), (written) =>
    manifestText(options.facts, written),
  );
  outputs.push(stale, ...(report ? [report] : []), manifest);

  const tally = openRunTally();
  const tallying = { name: tallyName, write: async (later: RunTally) => tally.merge(later) };
  const plan = {
    ...{ headers, names, files: sinks.map(({ file }) => file) },
    options: encodeOptions(options),
    isTallied: report !== undefined,
  };
  const takers = report ? [...sinks, tallying] : sinks;
  const records = await writeRecords(same ? onlyChanges(source) : source, takers, plan, signal);
  const { changes } = records;
  const counts = same ? { ...same.counts, changes } : records;
  const facts = tally.facts();
  const counted = same?.tally ? { ...same.tally, changes: facts.changes } : facts;
  await report?.write(counted);
  const written = await prepareAll(outputs, counts, signal);
  confirm?.();
  return () => ({
    ...{ folder, ...written },
    changesSince: options.facts.run.changesSince,
    isSame: same !== undefined,
    unchanged: unchangedNames(same, sinks),
    tally: report && counted,
    removed: stale.removed(),
  });
}

/** The second thread is given these, so they must be plain data. */
function encodeOptions({ excelSafe, delimiter }: ExportOptions) {
  return { excelSafe, delimiter };
}

async function findSame(
  last: Manifest,
  files: Parameters<typeof findSameFiles>[2],
  { folder, findSame: look, openReport }: ExportOptions,
): Promise<SameFiles | undefined> {
  const same = look?.(last);
  // A report needs what was counted of all records.
  if (!same || (openReport && !same.tally)) return undefined;
  return await findSameFiles(folder, last, files, same);
}

function unchangedNames(same: SameFiles | undefined, sinks: readonly RecordFileSink[]): string[] {
  const unchanged = [...(same?.files ?? []), ...sinks.filter((sink) => sink.isUnchanged())];
  return unchanged.map(({ name }) => name);
}

/** Prepares every output, with the facts of those before it. */
async function prepareAll(
  outputs: readonly Output[],
  counts: RecordCounts,
  signal: AbortSignal | undefined,
): Promise<WrittenRecords> {
  const files: ManifestFile[] = [];
  for (const output of outputs) {
    files.push(...(await output.prepare({ counts, files: [...files] })));
    signal?.throwIfAborted();
  }
  return { counts, files };
}

function tablesOf({ records }: RecordSource): Table[] {
  return (Object.keys(tables) as Table[]).filter(
    (table) => table !== 'people' || records.hasPeople,
  );
}

function manifestText(facts: ManifestFacts, { counts, files }: WrittenRecords): string {
  const manifest: Manifest = { ...facts, counts, files: [...files] };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw outputTrouble(folder, error);
  }
}
