import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { requirePackages } from '../core/runtime/optional-packages.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import { foldersOf, placesOf, type ResolvedFiles, type ResolvedPlace } from '../job/resolve-job.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { isObjectPath } from '../job/schema/fields.ts';
import { placeOf, shownPlace } from '../results/postgres/open-warehouse.ts';

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

/**
 * Where the files of a run belong: `out/{date}/{run} → out/2026-08-22/r7`, the date of its last start in UTC. A try
 * of the first rows has a folder inside it, or below an address a place of its own.
 */
export function folderOfRun(path: string, run: Run): string {
  const date = new Date(run.lastStartedAt).toISOString().slice(0, 10);
  const filled = { date, run: runName(run), job: run.job };
  const whole = path.replace(/\{(date|run|job)\}/g, (_, name: keyof typeof filled) => filled[name]);
  return run.rowLimit === null || isObjectPath(path) ? whole : join(whole, 'try');
}

/** Loads what reads results: a plan with none before it starts sooner without. */
const openFolders = () => import('../results/export-folder.ts');

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
  const { holdsComplete } = await openFolders();
  const isPublished = isComplete || whenIncomplete === 'publish' || !(await holdsComplete(folder));
  return isPublished && !run.held ? folder : heldFolderOf(path, run);
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
  const { readManifest, removeExport } = await openFolders();
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, digits] = /^held-r(\d+)$/.exec(name) ?? [];
      if (digits === undefined || Number(digits) > published.id) continue;
      const held = join(folder, name);
      // A link may lead to a folder that is somebody else's.
      if (!(await lstat(held).catch(() => undefined))?.isDirectory()) continue;
      const job = runs.get(Number(digits))?.job ?? (await readManifest(held))?.job;
      if (job === published.job) await removeExport(held);
    }
  }
}

/**
 * Finds the first result that is lost from a folder when a run over another list writes there: a list of
 * fixed rows, say, that was meant to be added. The same list may shrink.
 */
export async function findReplaced(job: ResolvedJob, run: Run, rows: number) {
  for (const path of foldersOf(job)) {
    const folder = folderOfRun(path, run);
    if (!existsSync(join(folder, 'manifest.json'))) continue;
    const { readManifest } = await openFolders();
    const last = await readManifest(folder);
    if (!last || last.list === run.inputName || last.rows.total <= rows) continue;
    // `dossier export --run` writes the replaced run again.
    return { folder, run: last.run, input: last.list, rows: last.rows.total };
  }
  return undefined;
}

export type ReplacedResult = NonNullable<Awaited<ReturnType<typeof findReplaced>>>;

/** Finds the newer run of a job whose files stand where those of an older one are about to go. */
export async function findNewer(job: ResolvedJob, run: Run) {
  const { readManifest } = await openFolders();
  for (const place of placesOf(job)) {
    if (place.kind !== 'folder') continue;
    const folder = await placeOfResult(place, run, run.finishedAt !== null);
    const last = await readManifest(folder);
    if (last?.job !== run.job) continue;
    if (Date.parse(last.startedAt) > run.startedAt) return { run: last.run, folder };
  }
  return undefined;
}

/** Where a job brings the result of a run beside the folder that people look into, as people may see it. */
export function otherAddresses(job: ResolvedJob, run: Run): string[] {
  const { isLeftOut, path } = job.output;
  const others = placesOf(job).filter(
    (place) => place.kind !== 'folder' || isLeftOut || place.path !== path,
  );
  return others.map((place) => addressOf(place, run));
}

/** Where a place has the result of a run, as people may see it. */
export function addressOf(place: ResolvedPlace, run: Run): string {
  if (place.kind !== 'postgres') return folderOfRun(place.path, run);
  try {
    const address = place.address.reveal(process.env);
    if (address) return shownPlace(placeOf(address, place.schema));
  } catch {
    // A variable may not be set where results are only looked at; the run itself refuses that.
  }
  return `PostgreSQL, schema ${place.schema}`;
}
