import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DossierError } from '../../errors.ts';
import { writeFileAtomically } from '../../runtime/files/atomic-file.ts';

/** Refuses to replace a job file. Checked before the questions, so that no answer is in vain. */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw alreadyThere(path);
}

/** Writes a job file; replaces an existing one only when forced. */
export async function writeDraft(
  path: string,
  text: string,
  { isForced }: { isForced: boolean },
): Promise<void> {
  try {
    if (isForced) {
      await writeFileAtomically(path, text);
      return;
    }
    await using file = await open(path, 'wx');
    await file.writeFile(text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyThere(path);
    const reason =
      error instanceof DossierError ? message : `${path} cannot be written: ${message}`;
    throw new DossierError('FILE_UNWRITABLE', reason, { cause: error });
  }
}

function alreadyThere(path: string): DossierError {
  return new DossierError('FILE_EXISTS', `${path} exists already`);
}
