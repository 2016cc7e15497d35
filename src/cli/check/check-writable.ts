import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DossierError } from '../../errors.ts';
import { openAtomicFile } from '../../runtime/files/atomic-file.ts';
import { fromHere } from '../terminal/text.ts';

/** Writes and removes a file in the folder, or in the nearest folder above it that exists. */
export async function checkWritable(path: string): Promise<void> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const trial = join(folder, 'check');
  try {
    const file = await openAtomicFile(trial);
    await file.discard();
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const message = error.message.replace(trial, fromHere(path));
    throw new DossierError(error.code, message, { cause: error });
  }
}
