import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { outputError, removeLeftovers } from '../core/runtime/files/atomic-file.ts';
import { lockFolder } from '../engine/ledger/file/locks.ts';
import { type Format, Manifest, type ManifestFile } from './manifest.ts';

/** Reads only `complete`, which the manifests of all Dossier versions have. */
export async function holdsComplete(folder: string): Promise<boolean> {
  const manifest = await readJson(folder).catch(() => null);
  return (manifest as { complete?: unknown } | null)?.complete === true;
}

export async function readManifest(folder: string): Promise<Manifest | undefined> {
  return Manifest.safeParse(await readJson(folder).catch(() => null)).data;
}

async function readJson(folder: string) {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
}

/** Faster than `isIntact`: compares with the manifest, which is always written after the files. */
export function isUntouched(folder: string, { name, bytes }: ManifestFile): boolean {
  const file = statSync(join(folder, name), { throwIfNoEntry: false });
  return file?.size === bytes && file.mtimeMs < statSync(join(folder, 'manifest.json')).mtimeMs;
}

export async function isIntact(folder: string, { name, sha256 }: ManifestFile): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(join(folder, name)), hash);
    return hash.digest('hex') === sha256;
  } catch {
    return false;
  }
}

/** Renames a file that a user changed, and returns the new name. */
export async function keepEdited(folder: string, file: ManifestFile, run: string) {
  const path = join(folder, file.name);
  const isEdited =
    existsSync(path) && !isUntouched(folder, file) && !(await isIntact(folder, file));
  if (!isEdited) return [];
  const kept = `${file.table}-edited-before-${run}.${file.format}`;
  await rename(path, join(folder, kept));
  return [kept];
}

/** Keeps other formats and files changed by a user. */
export async function removeStaleFiles(
  folder: string,
  last: readonly ManifestFile[],
  current: readonly ManifestFile[],
  formats: readonly Format[],
): Promise<void> {
  const names = new Set(current.map(({ name }) => name));
  for (const file of last) {
    if (names.has(file.name) || !formats.includes(file.format)) continue;
    if (!(await isIntact(folder, file))) continue;
    const path = join(folder, file.name);
    await rm(path, { force: true }).catch((error) => {
      throw outputError(path, error);
    });
  }
}

/** Keeps everything while another process writes there. */
export async function removeExport(folder: string): Promise<void> {
  try {
    {
      using _lock = await lockFolder(folder, { waitMs: 0 });
      await removeLeftovers(folder);
      const { files = [] } = (await readManifest(folder)) ?? {};
      const formats = files.map(({ format }) => format);
      await removeStaleFiles(folder, files, [], formats);
      for (const name of ['report.html', 'manifest.json']) {
        await rm(join(folder, name), { force: true });
      }
    }
    await rmdir(folder);
  } catch {
    // Files that stay do no harm, because their manifest describes them.
  }
}
