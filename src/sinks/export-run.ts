import { join } from 'node:path';
import type { ReferenceNames } from '../contract/reference.ts';
import { viewTable } from '../records/table-view.ts';
import { type Table, tables } from '../records/tables.ts';
import { outputTrouble, removeLeftovers } from '../runtime/files/atomic-file.ts';
import { makeFolder } from '../runtime/files/make-folder.ts';
import type { FormatOptions } from './files/formats.ts';
import { lockFolder } from './files/lock-folder.ts';
import { readManifest } from './files/read-manifest.ts';
import {
  type FileOptions,
  listFiles,
  openRecordFile,
  type RecordFile,
  type RecordFileSink,
} from './files/record-file.ts';
import { openStaleFiles } from './files/stale-files.ts';
import { isIntact, keptFile } from './files/unchanged-file.ts';
import type { Manifest, ManifestFacts, ManifestFile, RecordCounts } from './manifest.ts';
import type { Output, Sink, WrittenRecords } from './sink.ts';
import { openRunTally, type RunTally, tallyName } from './tally/run-tally.ts';
import { openTextOutput } from './text-output.ts';
import { type RecordSource, writeRecords } from './write-records.ts';

export interface ExportOptions extends FormatOptions, FileOptions {
  readonly folder: string;
  readonly facts: ManifestFacts;
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  /** The sink of the report, which takes the tallies of batches; without it there is no report. */
  readonly report?: Sink | undefined;
  /** Looks whether the run comes to the result that the folder holds. */
  readonly findSame?: ((folder: Manifest) => SameTally | undefined) | undefined;
  /** Called before the first file is shown; throws where what was read is not the whole run. */
  readonly confirm?: (() => void) | undefined;
  /** Aborted to stop before the first file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a folder is that of the run, with its tally if there is one. */
export interface SameTally {
  readonly tally: RunTally | undefined;
}

export interface ExportSummary extends WrittenRecords {
  readonly folder: string;
  /** The run that changes are told against; null where there is none. */
  readonly changesSince: string | null;
  /** Whether the folder held the same result, so that no record was read. */
  readonly isSame: boolean;
  /** Files that are as they were, and were left alone. */
  readonly unchanged: readonly string[];
  /** What was counted of all records, where there is a report. */
  readonly tally: RunTally | undefined;
  /** Files of the last export that would have passed for part of this one. */
  readonly removed: readonly string[];
}

/**
 * Writes a run to all its sinks. Every file is whole on the disk under a temporary name before the
 * first is renamed, and the manifest comes last: a folder whose files fit their manifest is one
 * export.
 */
export async function exportRun(
  source: RecordSource,
  options: ExportOptions,
): Promise<ExportSummary> {
  const { folder, names, signal } = options;
  const reports = options.report ? [options.report] : [];
  const headers = source.records.inputColumns;
  const files = listFiles(tablesOf(source), options);
  makeOutputFolder(folder);
  using _lock = await lockFolder(folder, { signal });
  await removeLeftovers(folder);
  const last = await readManifest(folder);
  const same = last && (await findKept(last, files, options));
  const stale = openStaleFiles(folder, last?.files ?? [], options.formats);
  const manifest = openTextOutput(join(folder, 'manifest.json'), (written) =>
    manifestText(options.facts, written),
  );
  const sinks: RecordFileSink[] = [];
  try {
    for (const file of same ? files.filter(isOfChanges) : files) {
      const views = file.tables.map((table) => viewTable(table, headers, file.choice));
      const before = last?.files.find(({ name }) => name === file.name);
      sinks.push(await openRecordFile(folder, file, views, options, before));
    }
    const isTallied = reports.length > 0;
    const tally = openRunTally();
    const tallying = { name: tallyName, write: async (later: RunTally) => tally.merge(later) };
    const written = sinks.map(({ file }) => file);
    const plan = { headers, files: written, names, options: encodeOptions(options), isTallied };
    const takers = isTallied ? [...sinks, tallying] : sinks;
    const records = await writeRecords(same ? onlyChanges(source) : source, takers, plan, signal);
    const { changes } = records;
    const counts = same ? { ...same.counts, changes } : records;
    const facts = tally.facts();
    const counted = same?.tally ? { ...same.tally, changes: facts.changes } : facts;
    for (const report of reports) await report.write(counted);
    const kept = same ? same.files.map(keptFile) : [];
    const outputs = [...kept, ...sinks, stale, ...reports, manifest];
    const result = await commitTogether(outputs, counts, options);
    const unchanged = [...(same?.files ?? []), ...sinks.filter((sink) => sink.isUnchanged())];
    const { changesSince } = options.facts.run;
    return {
      ...{ folder, changesSince, ...result, removed: stale.removed() },
      isSame: same !== undefined,
      unchanged: unchanged.map(({ name }) => name),
      tally: isTallied ? counted : undefined,
    };
  } finally {
    for (const output of [...sinks, ...reports, manifest]) await output.abort();
  }
}

/** The second thread is given these, so they must be plain data. */
function encodeOptions({ excelSafe, delimiter }: ExportOptions) {
  return { excelSafe, delimiter };
}

/** What changed is of this run alone, though the result may be the same. */
function isOfChanges({ table }: RecordFile): boolean {
  return table === 'changes';
}

/** What changed of a run, without its rows and people. */
export function onlyChanges({ records, changes }: RecordSource): RecordSource {
  return { records: { ...records, hasPeople: false }, rowCount: 0, ...(changes && { changes }) };
}

/**
 * The files of the last export, where the run comes to the same and each is on the disk as its manifest
 * says: then they are not written again.
 */
async function findKept(
  last: Manifest,
  files: readonly RecordFile[],
  { folder, findSame, report }: ExportOptions,
) {
  const same = findSame?.(last);
  // A report needs what was counted of all records.
  if (!same || (report && !same.tally)) return undefined;
  const kept: ManifestFile[] = [];
  for (const { name } of files.filter((file) => !isOfChanges(file))) {
    const file = last.files.find((other) => other.name === name);
    if (!file || !(await isIntact(folder, file))) return undefined;
    kept.push(file);
  }
  return { tally: same.tally, counts: last.counts, files: kept };
}

/** Prepares every output, with the facts of those before it, and then shows them in their order. */
async function commitTogether(
  outputs: readonly Output[],
  counts: RecordCounts,
  { signal, confirm }: Pick<ExportOptions, 'signal' | 'confirm'>,
): Promise<WrittenRecords> {
  const files: ManifestFile[] = [];
  for (const output of outputs) {
    files.push(...(await output.prepare({ counts, files: [...files] })));
    signal?.throwIfAborted();
  }
  confirm?.();
  for (const output of outputs) await output.commit();
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
