import { join } from 'node:path';
import type { ReferenceNames } from '../contract/reference.ts';
import { type Table, tables } from '../records/tables.ts';
import { outputTrouble, removeLeftovers } from '../runtime/files/atomic-file.ts';
import { makeFolder } from '../runtime/files/make-folder.ts';
import type { FormatOptions } from './files/formats.ts';
import { lockFolder } from './files/lock-folder.ts';
import { nameFile, openRecordFile } from './files/record-file.ts';
import { openStaleFiles } from './files/stale-files.ts';
import type { Format, Manifest, ManifestFacts, ManifestFile, RecordCounts } from './manifest.ts';
import type { Output, Sink, WrittenRecords } from './sink.ts';
import { openTextOutput } from './text-output.ts';
import { type RecordSource, writeRecords } from './write-records.ts';

export interface ExportOptions extends FormatOptions {
  readonly folder: string;
  readonly formats: readonly Format[];
  readonly facts: ManifestFacts;
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  /** The sink of the report, which takes the tallies of batches; without it there is no report. */
  readonly report?: Sink | undefined;
  /** Aborted to stop before the first file is shown; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExportSummary extends WrittenRecords {
  readonly folder: string;
  /** The run that changes are told against; null where there is none. */
  readonly changesSince: string | null;
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
  const { folder, excelSafe, names, signal } = options;
  const reports = options.report ? [options.report] : [];
  const headers = source.records.inputColumns;
  const formats = [...new Set(options.formats)];
  const files = tablesOf(source).flatMap((table) =>
    formats.map((format) => nameFile(table, format, options.compress)),
  );
  makeOutputFolder(folder);
  using _lock = await lockFolder(folder, { signal });
  await removeLeftovers(folder);
  const stale = await openStaleFiles(folder, formats);
  const manifest = openTextOutput(join(folder, 'manifest.json'), (written) =>
    manifestText(options.facts, written),
  );
  const sinks: Sink[] = [];
  try {
    for (const file of files) {
      const columns = tables[file.table].columns(headers);
      sinks.push(await openRecordFile(folder, file, columns, options));
    }
    const plan = { headers, files, names, excelSafe, isTallied: reports.length > 0 };
    const counts = await writeRecords(source, [...sinks, ...reports], plan, signal);
    const outputs = [...sinks, stale, ...reports, manifest];
    const written = await commitTogether(outputs, counts, signal);
    const { changesSince } = options.facts.run;
    return { folder, changesSince, ...written, removed: stale.removed() };
  } finally {
    for (const output of [...sinks, ...reports, manifest]) await output.abort();
  }
}

/** Prepares every output, with the facts of those before it, and then shows them in their order. */
async function commitTogether(
  outputs: readonly Output[],
  counts: RecordCounts,
  signal: AbortSignal | undefined,
): Promise<WrittenRecords> {
  const files: ManifestFile[] = [];
  for (const output of outputs) {
    files.push(...(await output.prepare({ counts, files: [...files] })));
    signal?.throwIfAborted();
  }
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
