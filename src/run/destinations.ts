import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromHere, shellWord } from '../core/runtime/files/local-path.ts';
import { requirePackages } from '../core/runtime/optional-packages.ts';
import { type Run, runName } from '../engine/ledger/runs/runs.ts';
import {
  destinationsOf,
  foldersOf,
  type ResolvedDestination,
  type ResolvedFiles,
  type ResolvedJob,
} from '../job/resolve-job.ts';
import { isObjectPath } from '../job/schema/fields.ts';
import {
  shownWarehouse,
  warehouseAddress,
} from '../results/destinations/postgres/open-warehouse.ts';

export function requireDestinations(job: ResolvedJob): void {
  for (const destination of destinationsOf(job)) {
    if (destination.kind === 'postgres') destination.address.reveal(process.env);
    if (destination.kind !== 'folder')
      requirePackages(destination.kind === 's3' ? 's3://' : 'postgres');
  }
}

/** `out/{date}/{run} → out/2026-08-22/r7` */
export function folderOfRun(path: string, run: Run): string {
  const date = new Date(run.lastStartedAt).toISOString().slice(0, 10);
  const filled = { date, run: runName(run), job: run.job };
  const whole = path.replace(/\{(date|run|job)\}/g, (_, name: keyof typeof filled) => filled[name]);
  return run.rowLimit === null || isObjectPath(path) ? whole : join(whole, 'try');
}

/** `out/{date}/{run} → out` */
export function fixedFolder(path: string, job: string): string {
  const filled = path.replaceAll('{job}', job);
  const varies = filled.indexOf('{');
  return varies === -1 ? filled : dirname(filled.slice(0, varies + 1));
}

/** Loaded on demand, so `dossier plan` starts faster while there is no result yet. */
const openFolders = () => import('../results/destinations/folder/export-folder.ts');

export function heldFolderOf(outputPath: string, run: Run): string {
  return join(folderOfRun(outputPath, run), `held-${runName(run)}`);
}

/** A held or incomplete result must not replace a complete one. */
export async function resultFolder(
  { path, whenIncomplete }: Pick<ResolvedFiles, 'path' | 'whenIncomplete'>,
  run: Run,
  isComplete: boolean,
): Promise<string> {
  const folder = folderOfRun(path, run);
  const { holdsComplete } = await openFolders();
  const isPublished = isComplete || whenIncomplete === 'publish' || !(await holdsComplete(folder));
  return isPublished && !run.held ? folder : heldFolderOf(path, run);
}

/** `dossier export --run` can write these results again. */
export async function removeHeldResults(folders: readonly string[], published: Run): Promise<void> {
  const { readManifest, removeExport } = await openFolders();
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, digits] = /^held-r(\d+)$/.exec(name) ?? [];
      if (digits === undefined || Number(digits) > published.id) continue;
      const held = join(folder, name);
      // Links may lead to folders that are not ours.
      if (!(await lstat(held).catch(() => undefined))?.isDirectory()) continue;
      if ((await readManifest(held))?.job === published.job) await removeExport(held);
    }
  }
}

/** Finds a larger result of a different list, to which the user may have wanted to add rows. */
export async function findReplaced(job: ResolvedJob, run: Run, rows: number) {
  for (const path of foldersOf(job)) {
    const folder = folderOfRun(path, run);
    if (!existsSync(join(folder, 'manifest.json'))) continue;
    const { readManifest } = await openFolders();
    const last = await readManifest(folder);
    if (!last || last.list === run.inputName || last.rows.total <= rows) continue;
    return { folder, run: last.run, input: last.list, rows: last.rows.total };
  }
  return undefined;
}

/** A run replaces the rejects file, so changes that no `fix` has read are copied. Returns notes. */
export async function keepEditedRejects(job: ResolvedJob): Promise<string[]> {
  const notes: string[] = [];
  for (const path of foldersOf(job)) {
    const { readManifest, copyEdited } = await openFolders();
    const folder = fixedFolder(path, job.name);
    for (const file of (await readManifest(folder))?.files ?? []) {
      const copy = file.table === 'rejects' && (await copyEdited(folder, file));
      if (!copy) continue;
      const kept = fromHere(copy);
      notes.push(
        `${fromHere(join(folder, file.name))} has changes that a run does not read. They are kept in ${kept}; look them up with \`dossier fix <job> ${shellWord(kept)}\`.`,
      );
    }
  }
  return notes;
}

export type ReplacedResult = NonNullable<Awaited<ReturnType<typeof findReplaced>>>;

export async function findNewer(job: ResolvedJob, run: Run) {
  const { readManifest } = await openFolders();
  for (const destination of destinationsOf(job)) {
    if (destination.kind !== 'folder') continue;
    const folder = await resultFolder(destination, run, run.finishedAt !== null);
    const last = await readManifest(folder);
    if (last?.job !== run.job) continue;
    if (Date.parse(last.startedAt) > run.startedAt) return { run: last.run, folder };
  }
  return undefined;
}

/** All but the main folder, without secrets. */
export function otherAddresses(job: ResolvedJob, run: Run): string[] {
  const { isUnused, path } = job.output;
  const others = destinationsOf(job).filter(
    (destination) => destination.kind !== 'folder' || isUnused || destination.path !== path,
  );
  return others.map((destination) => addressOf(destination, run));
}

export function addressOf(destination: ResolvedDestination, run: Run): string {
  if (destination.kind !== 'postgres') return folderOfRun(destination.path, run);
  try {
    const address = destination.address.reveal(process.env);
    if (address) return shownWarehouse(warehouseAddress(address, destination.schema));
  } catch {
    // The variable may be unset when results are only viewed.
  }
  return `PostgreSQL, schema ${destination.schema}`;
}
