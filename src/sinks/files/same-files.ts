import type { Manifest, ManifestFile, RecordCounts } from '../manifest.ts';
import type { RunTally } from '../tally/run-tally.ts';
import type { RecordSource } from '../write-records.ts';
import type { RecordFile } from './record-file.ts';
import { isIntact } from './unchanged-file.ts';

/** The result of a folder is that of the run, with its tally if there is one. */
export interface SameTally {
  readonly tally: RunTally | undefined;
}

/** Files of the last export that need not be written again. */
export interface SameFiles extends SameTally {
  readonly counts: RecordCounts;
  readonly files: readonly ManifestFile[];
}

/**
 * The files of the last export, where the run comes to the same and each is on the disk as its manifest
 * says: then they are not written again.
 */
export async function findSameFiles(
  folder: string,
  last: Manifest,
  files: readonly RecordFile[],
  { tally }: SameTally,
): Promise<SameFiles | undefined> {
  const kept: ManifestFile[] = [];
  for (const { name } of files.filter((file) => !isOfChanges(file))) {
    const file = last.files.find((other) => other.name === name);
    if (!file || !(await isIntact(folder, file))) return undefined;
    kept.push(file);
  }
  return { tally, counts: last.counts, files: kept };
}

/** What changed is of this run alone, though the result may be the same. */
export function isOfChanges({ table }: RecordFile): boolean {
  return table === 'changes';
}

export function onlyChanges({ records, changes }: RecordSource): RecordSource {
  return { records: { ...records, hasPeople: false }, rowCount: 0, ...(changes && { changes }) };
}
