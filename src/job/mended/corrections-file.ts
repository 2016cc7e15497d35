import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DossierError } from '../../errors.ts';
import { outputTrouble, syncFolder, writeFileAtomically } from '../../runtime/files/atomic-file.ts';
import { makeFolder } from '../../runtime/files/make-folder.ts';
import { Correction } from './correction.ts';

/** Reads the corrections of a job, one a line; none where there is no file. */
export function readCorrections(path: string | undefined): Correction[] {
  const text = path === undefined ? undefined : textOf(path);
  if (text === undefined) return [];
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [readLine(line, `${path}:${index + 1}`)]));
}

/** Replaces the file whole; without a correction there is no file. */
export async function writeCorrections(
  path: string,
  corrections: readonly Correction[],
): Promise<void> {
  try {
    if (corrections.length > 0) {
      const lines = corrections.map((correction) => `${JSON.stringify(correction)}\n`);
      return await writeFileAtomically(path, lines.join(''));
    }
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Makes the folder of a file of corrections, where it is not there. */
export function makeCorrectionsFolder(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The error for a file of corrections that cannot be written: it is no output. */
function unwritable(path: string, error: unknown): unknown {
  const trouble = outputTrouble(path, error);
  if (!(trouble instanceof DossierError)) return trouble;
  return new DossierError('CORRECTIONS_UNWRITABLE', trouble.message, { cause: error });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new DossierError('CORRECTIONS_INVALID', `${path} cannot be read: ${message}`, { cause });
  }
}

function readLine(line: string, place: string): Correction {
  const result = Correction.safeParse(jsonOf(line, place));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.');
  throw new DossierError(
    'CORRECTIONS_INVALID',
    `${place}: ${field ? `${field}: ` : ''}${issue?.message}`,
  );
}

function jsonOf(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new DossierError('CORRECTIONS_INVALID', `${place} is no JSON object`, { cause });
  }
}
