import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DossierError } from '../../errors.ts';
import { syncFolder, writeFileAtomically } from '../../runtime/files/atomic-file.ts';
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
  if (corrections.length > 0) {
    const lines = corrections.map((correction) => `${JSON.stringify(correction)}\n`);
    return await writeFileAtomically(path, lines.join(''));
  }
  await rm(path, { force: true });
  await syncFolder(dirname(path));
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
