import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { outputTrouble, removeLeftovers } from '../core/runtime/files/atomic-file.ts';
import { lockFolder } from '../engine/ledger/file/locks.ts';
import { type Format, isOutputFile, Manifest, type ManifestFile } from './manifest.ts';

/** Whether the result in a folder is complete, by whichever version of Dossier it was written. */
export async function holdsComplete(folder: string): Promise<boolean> {
  const manifest = await readJson(folder).catch(() => null);
  return (manifest as { complete?: unknown } | null)?.complete === true;
}

/** The manifest of a folder; undefined where there is none, or none that can be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  return Manifest.safeParse(await readJson(folder).catch(() => null)).data;
}

async function readJson(folder: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
}

const chunkBytes = 256 * 1_024;

/** Whether the file in the folder is the one that the manifest names, byte for byte. */
export async function isIntact(
  folder: string,
  { name, sha256 }: Pick<ManifestFile, 'name' | 'sha256'>,
): Promise<boolean> {
  const hash = createHash('sha256');
  // One chunk takes all bytes in turn: a stream would fill many.
  const chunk = Buffer.allocUnsafe(chunkBytes);
  try {
    await using file = await open(join(folder, name), 'r');
    for (;;) {
      const { bytesRead } = await file.read(chunk);
      if (bytesRead === 0) return hash.digest('hex') === sha256;
      hash.update(chunk.subarray(0, bytesRead));
    }
  } catch {
    return false;
  }
}

/**
 * Removes files that would pass for part of the new export though they are of the last one, such as
 * people.csv after the people searches were taken out of the job. A file of a format that was not asked for this time stays, and so does one that
 * was changed since the last export.
 */
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
      throw outputTrouble(path, error);
    });
  }
}

/**
 * Removes a whole export, and its folder if nothing else is in it. A file that was changed since it was
 * written stays. So does everything while another process writes there.
 */
export async function removeExport(folder: string): Promise<void> {
  try {
    {
      using _lock = await lockFolder(folder, { waitMs: 0 });
      await removeLeftovers(folder);
      const { files = [] } = (await readManifest(folder)) ?? {};
      // A process that was killed while it wrote leaves files that no manifest names.
      const unnamed = files.length > 0 ? [] : (await readdir(folder)).filter(isOutputFile);
      const formats = files.map(({ format }) => format);
      await removeStaleFiles(folder, files, [], formats);
      for (const name of [...unnamed, 'report.html', 'manifest.json']) {
        await rm(join(folder, name), { force: true });
      }
    }
    // The lock is gone by now; where other files are left, the folder stays.
    await rmdir(folder);
  } catch {
    // What is left takes room and does no harm: its manifest says what it is.
  }
}
