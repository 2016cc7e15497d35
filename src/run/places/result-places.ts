import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  foldersOf,
  pathOfRun,
  placesOf,
  type ResolvedFiles,
} from '../../job/places/resolve-places.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { isObjectPath } from '../../job/schema/fields.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { requirePackages } from '../../runtime/optional-packages.ts';
import { holdsComplete, readManifest, removeExport } from '../../sinks/files/export-folder.ts';
import { placeOf, shownPlace } from '../../sinks/postgres/connection/warehouse-address.ts';

/**
 * Refuses a job that names a database by a variable which is not set, or a place whose packages are not
 * installed, before anything is asked or written.
 */
export function requirePlaces(job: ResolvedJob): void {
  for (const place of placesOf(job)) {
    if (place.kind === 'postgres') place.address.reveal(process.env);
    if (place.kind !== 'folder') requirePackages(place.kind === 's3' ? 's3://' : 'postgres');
  }
}

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
  isComplete: boolean,
): Promise<string> {
  const folder = folderOfRun(path, run);
  const isPublished = isComplete || whenIncomplete === 'publish';
  const isAside = run.held || !(isPublished || !(await holdsComplete(folder)));
  return isAside ? heldFolderOf(path, run) : folder;
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
  for (const folder of folders) {
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
}

/**
 * Finds the first result that is lost from a folder when a run over another list writes there: a list of
 * mended rows, say, that was meant to be added. The same list may shrink.
 */
export async function findReplaced(job: ResolvedJob, run: Run, rows: number) {
  for (const path of foldersOf(job)) {
    const folder = folderOfRun(path, run);
    const last = await readManifest(folder);
    if (!last || last.input.name === run.inputName || last.counts.rows <= rows) continue;
    // `dossier export --run` writes the replaced run again.
    return { folder, run: last.run.id, input: last.input.name, rows: last.counts.rows };
  }
  return undefined;
}

export type ReplacedResult = NonNullable<Awaited<ReturnType<typeof findReplaced>>>;

/** Finds the newer run of a job whose files stand where those of an older one are about to go. */
export async function findNewer(job: ResolvedJob, run: Run) {
  for (const place of placesOf(job)) {
    if (place.kind !== 'folder') continue;
    const folder = await placeOfResult(place, run, run.finishedAt !== null);
    const last = await readManifest(folder);
    if (last?.job.name !== run.job) continue;
    if (Date.parse(last.run.startedAt) > run.startedAt) return { run: last.run.id, folder };
  }
  return undefined;
}

/** Where a job brings the result of a run beside the folder that people look into, as people may see it. */
export function otherAddresses(job: ResolvedJob, run: Run): string[] {
  const { output } = job;
  return placesOf(job).flatMap((place) => {
    if (place.kind === 'postgres') return [databaseAddress(place.address, place.schema)];
    const isShown = place.kind === 'folder' && !output.isLeftOut && place.path === output.path;
    return isShown ? [] : [addressOfRun(place.path, run)];
  });
}

/** A variable may not be set where results are only looked at. */
function databaseAddress(
  address: { reveal(env: NodeJS.ProcessEnv): URL | undefined },
  schema: string,
) {
  try {
    const revealed = address.reveal(process.env);
    if (revealed) return shownPlace(placeOf(revealed, schema));
  } catch {
    // Who runs the job is told.
  }
  return `PostgreSQL, schema ${schema}`;
}
