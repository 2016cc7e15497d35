import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathOfRun } from '../../job/places/path-of-run.ts';
import type { ResolvedFiles } from '../../job/places/resolved-place.ts';
import { isObjectPath } from '../../job/schema/output-path.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { holdsComplete, readManifest } from '../../sinks/files/read-manifest.ts';
import { removeExport } from '../../sinks/files/remove-export.ts';

/** Where the files of a run belong. */
export function folderOfRun(outputPath: string, run: Run): string {
  const startedAt = new Date(run.lastStartedAt);
  const isTry = run.rowLimit !== null;
  return pathOfRun(outputPath, { id: runName(run), job: run.job, startedAt, isTry });
}

/** The same for folders and addresses; below an address a try lies where the part that varies begins. */
export function addressOfRun(path: string, run: Run): string {
  return folderOfRun(path, isObjectPath(path) ? { ...run, rowLimit: null } : run);
}

/** Where they are put aside: `out/held-r31`, inside the folder whose result they must not replace. */
export function heldFolderOf(outputPath: string, run: Run): string {
  return join(folderOfRun(outputPath, run), `held-${runName(run)}`);
}

/**
 * Chooses where the files of a run go. A result that is held goes aside; so does an incomplete one where
 * a complete one stands.
 */
export async function placeOfResult(
  { path, whenIncomplete }: Pick<ResolvedFiles, 'path' | 'whenIncomplete'>,
  run: Run,
  { isComplete }: { readonly isComplete: boolean },
): Promise<string> {
  if (run.held) return heldFolderOf(path, run);
  const folder = folderOfRun(path, run);
  if (isComplete || whenIncomplete === 'publish' || !(await holdsComplete(folder))) return folder;
  return heldFolderOf(path, run);
}

/**
 * Removes the results that were put aside in folders, now that a complete one of this run or a later one
 * stands there. Each can be written again: `dossier export --run`. What is not Dossier's stays.
 */
export async function removeHeldResults(
  runs: { get(runId: number): Pick<Run, 'job'> | undefined },
  folders: readonly string[],
  published: Run,
): Promise<void> {
  for (const folder of folders) await removeHeldIn(folder, runs, published);
}

async function removeHeldIn(
  folder: string,
  runs: Parameters<typeof removeHeldResults>[0],
  published: Run,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, digits] = /^held-r(\d+)$/.exec(name) ?? [];
    if (digits === undefined || Number(digits) > published.id) continue;
    const held = join(folder, name);
    // A link may lead to a folder that is somebody else's.
    if (!(await lstat(held).catch(() => undefined))?.isDirectory()) continue;
    const job = runs.get(Number(digits))?.job ?? (await readManifest(held))?.job.name;
    if (job === published.job) await removeExport(held);
  }
}
