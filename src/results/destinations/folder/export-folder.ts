import { statSync } from 'node:fs';
import { constants, copyFile, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { outputError, removeLeftovers } from '../../../platform/files/atomic-file.ts';
import { crcFile, hashFile } from '../../../platform/files/checksums.ts';
import { filesBelow } from '../../../platform/files/disk.ts';
import { lockFolder } from '../../../platform/files/lock-file.ts';
import { manifestName, reportName } from '../../file-names.ts';
import { type Format, Manifest, type ManifestFile } from '../../manifest.ts';
import { isAside } from '../places.ts';

/** Reads only `complete`, which the manifests of all Dossier versions have. */
export async function holdsComplete(folder: string): Promise<boolean> {
  const manifest = await readJson(folder).catch(() => null);
  return (manifest as { complete?: unknown } | null)?.complete === true;
}

export async function readManifest(folder: string): Promise<Manifest | undefined> {
  return Manifest.safeParse(await readJson(folder).catch(() => null)).data;
}

async function readJson(folder: string) {
  return JSON.parse(await readFile(join(folder, manifestName), 'utf8'));
}

/** Faster than `isIntact`: compares with the manifest, which is always written after the files. */
export function isUntouched(folder: string, { name, bytes }: ManifestFile): boolean {
  const file = statSync(join(folder, name), { throwIfNoEntry: false });
  return file?.size === bytes && file.mtimeMs < statSync(join(folder, manifestName)).mtimeMs;
}

/** The CRC-32 is much faster. It misses one damage in four billion. */
export async function isIntact(
  folder: string,
  { name, sha256, crc32 }: ManifestFile,
): Promise<boolean> {
  const path = join(folder, name);
  const sum = crc32 === undefined ? hashFile(path) : crcFile(path);
  return (await sum.catch(() => undefined)) === (crc32 ?? sha256);
}

/** Copies a file that a user changed. The same changes are copied once. */
export async function copyEdited(folder: string, file: ManifestFile) {
  const path = join(folder, file.name);
  const sha256 = isUntouched(folder, file)
    ? file.sha256
    : await hashFile(path).catch(() => undefined);
  if (sha256 === undefined || sha256 === file.sha256) return undefined;
  const copy = join(folder, `${file.table}-edited-${sha256.slice(0, 8)}.${file.format}`);
  // An earlier copy may have been edited since.
  await copyFile(path, copy, constants.COPYFILE_EXCL).catch((error) => {
    if (error.code !== 'EEXIST') throw outputError(copy, error);
  });
  return copy;
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

/** The results of a job in a folder and below. */
export async function* resultsBelow(folder: string, job: string) {
  for await (const path of filesBelow(folder)) {
    if (basename(path) !== manifestName) continue;
    const at = dirname(path);
    const received = await readManifest(at);
    if (received?.job === job)
      yield { folder: at, received, files: received.files, remove: () => removeExport(at) };
  }
}

export async function* heldBelow(folder: string, job: string) {
  for (const name of await readdir(folder)) {
    if (isAside(`/${name}`)) yield* resultsBelow(join(folder, name), job);
  }
}

/** Removes nothing while another process writes to the folder. */
export async function removeExport(folder: string): Promise<void> {
  try {
    {
      using _lock = await lockFolder(folder, { waitMs: 0 });
      await removeLeftovers(folder);
      const { files = [] } = (await readManifest(folder)) ?? {};
      const formats = files.map(({ format }) => format);
      await removeStaleFiles(folder, files, [], formats);
      for (const name of [reportName, manifestName]) {
        await rm(join(folder, name), { force: true });
      }
    }
    // Of a held result, the path may have several folders.
    for (let at = folder; at === folder || isAside(at); at = dirname(at)) await rmdir(at);
  } catch {
    // Files that stay do no harm, because their manifest describes them.
  }
}
