import { join } from 'node:path';
import type { ReferenceNames } from '../contract/reference.ts';
import { lockFolder } from '../ledger/file/locks.ts';
import { type Table, tables } from '../records/tables.ts';
import { outputTrouble, removeLeftovers, syncFolder } from '../runtime/files/atomic-file.ts';
import { makeFolder } from '../runtime/files/disk.ts';
import { isIntact, readManifest, removeStaleFiles } from './export-folder.ts';
import type { Manifest, ManifestFacts, ManifestFile } from './manifest.ts';
import { type FileOptions, listFiles, openRecordFile, type RecordFileSink } from './record-file.ts';
import {
  type ExportSummary,
  type Output,
  openTextOutput,
  type PreparedExport,
  type ReportOutput,
} from './sink.ts';
import { openRunTally, type RunTally } from './tally/run-tally.ts';
import { onlyChanges, type RecordSource, writeRecords } from './write-records.ts';

export interface ExportOptions extends FileOptions {
  readonly folder: string;
  readonly facts: ManifestFacts;
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  /** Opens the report in a folder; without it there is none. */
  readonly openReport?: ((folder: string) => ReportOutput) | undefined;
  /** Gives the tally of the result that the folder holds, where the run comes to the same. */
  readonly findSame?: ((folder: Manifest) => SameTally | undefined) | undefined;
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
export async function prepareExport(
  source: RecordSource,
  options: ExportOptions,
): Promise<PreparedExport> {
  const { folder, signal } = options;
  try {
    makeFolder(folder);
  } catch (error) {
    throw outputTrouble(folder, error);
  }
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

/** Fills `outputs`, in the order in which they are to be shown, and gives the summary for afterwards. */
async function writeFiles(
  source: RecordSource,
  options: ExportOptions,
  outputs: Output[],
): Promise<() => ExportSummary> {
  const { folder, facts, names, signal } = options;
  const { inputColumns, hasPeople } = source.records;
  const ofRun = (Object.keys(tables) as Table[]).filter((table) => table !== 'people' || hasPeople);
  const all = listFiles(ofRun, options);
  await removeLeftovers(folder);
  const last = await readManifest(folder);
  const before = (name: string) => last?.files.find((file) => file.name === name);
  const changing = all.filter(({ table }) => table === 'changes');
  const same = last && (await findSame(last, all, options));
  for (const file of same?.files ?? []) outputs.push(keptFile(file));
  const files: RecordFileSink[] = [];
  for (const file of same ? changing : all) {
    const opened = await openRecordFile(folder, file, inputColumns, options, before(file.name));
    files.push(opened);
    outputs.push(opened);
  }
  let removed: readonly string[] = [];
  let current: readonly ManifestFile[] = [];
  outputs.push({
    ...unshown,
    async commit() {
      // The renames are on the disk before an old file is removed.
      await syncFolder(folder);
      removed = await removeStaleFiles(folder, last?.files ?? [], current, options.formats);
    },
  });
  const report = options.openReport?.(folder);
  if (report) outputs.push(report);
  outputs.push(
    openTextOutput(join(folder, 'manifest.json'), (written) => {
      const manifest: Manifest = { ...facts, counts: written.counts, files: [...written.files] };
      return `${JSON.stringify(manifest, undefined, 2)}\n`;
    }),
  );

  const tally = report && openRunTally();
  const sinks = files.flatMap((file) => file.sinks);
  if (tally) sinks.push({ write: tally.add });
  const records = await writeRecords(same ? onlyChanges(source) : source, sinks, names, signal);
  const counts = same ? { ...same.counts, changes: records.changes } : records;
  const counted = tally?.facts();
  const shown = counted && same?.tally ? { ...same.tally, changes: counted.changes } : counted;
  if (shown) report?.show(shown);
  for (const output of outputs) {
    current = [...current, ...(await output.prepare({ counts, files: current }))];
    signal?.throwIfAborted();
  }
  options.confirm?.();
  return () => ({
    folder,
    counts,
    files: current,
    changesSince: facts.run.changesSince,
    isSame: same !== undefined,
    unchanged: [...(same?.files ?? []), ...files.filter((file) => file.isUnchanged())].map(
      ({ name }) => name,
    ),
    tally: shown,
    removed,
  });
}

const unshown: Output = {
  prepare: async () => [],
  commit: async () => {},
  abort: async () => {},
};

function keptFile(file: ManifestFile): Output {
  return { ...unshown, prepare: async () => [file] };
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
  return { tally: same.tally, counts: last.counts, files };
}
