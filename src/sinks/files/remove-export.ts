import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from '../../ledger/file/locks.ts';
import { removeLeftovers } from '../../runtime/files/atomic-file.ts';
import { isOutputFile } from '../manifest.ts';
import { readManifest } from './read-manifest.ts';
import { removeStaleFiles } from './stale-files.ts';

const aboutFiles = ['report.html', 'manifest.json'];

/**
 * Removes a whole export, and its folder if nothing else is in it. A file that was changed since it was
 * written stays. So does everything while another process writes there.
 */
export async function removeExport(folder: string): Promise<void> {
  try {
    await removeFiles(folder);
    // The lock is gone by now; where other files are left, the folder stays.
    await rmdir(folder);
  } catch {
    // What is left takes room and does no harm: its manifest says what it is.
  }
}

async function removeFiles(folder: string): Promise<void> {
  using _lock = await lockFolder(folder, { waitMs: 0 });
  await removeLeftovers(folder);
  const manifest = await readManifest(folder);
  // A process that was killed while it wrote leaves files that no manifest names.
  const unnamed = manifest ? [] : (await readdir(folder)).filter(isOutputFile);
  const formats = manifest?.files.map(({ format }) => format) ?? [];
  await removeStaleFiles(folder, manifest?.files ?? [], { files: [], formats });
  for (const name of [...unnamed, ...aboutFiles]) await rm(join(folder, name), { force: true });
}
