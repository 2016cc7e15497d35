import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DossierError } from '../../core/errors.ts';
import { nearestWord } from '../../core/values/nearest-word.ts';
import { outsideFailure } from '../outside-failures.ts';

/** `lead.csv does not exist; did you mean leads.csv?` */
export function missingFile(
  kind: 'file' | 'job file' | 'settings file',
  path: string,
  error: unknown,
): unknown {
  const meant = nearestFile(path, error);
  const failure = outsideFailure(kind, path, error) as DossierError | undefined;
  if (failure && meant !== undefined) {
    failure.message = failure.message.replace(/;.*$|$/s, `; did you mean ${meant}?`);
  }
  return failure ?? error;
}

function nearestFile(path: string, error: unknown) {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined;
  try {
    const name = nearestWord(basename(path), readdirSync(dirname(path)));
    return name === undefined ? undefined : join(dirname(path), name);
  } catch {
    return undefined;
  }
}
