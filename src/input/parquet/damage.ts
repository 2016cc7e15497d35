import { DossierError } from '../../errors.ts';

/** What does not fit in the bytes of a Parquet file; told to people with the name of the file. */
export class Damage extends Error {
  override readonly name = 'Damage';
}

/** Turns what went wrong within a Parquet file into one sentence. */
export function parquetTrouble(name: string, error: unknown): unknown {
  if (error instanceof DossierError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith('E') && !code.startsWith('ERR_')) {
    return new DossierError('INPUT_UNREADABLE', `${name} cannot be read: ${message}`, {
      cause: error,
    });
  }
  // A message of the decoder is no help to whoever has the file.
  const what = error instanceof Damage ? message : 'its bytes do not fit together';
  return new DossierError(
    'INPUT_UNREADABLE',
    `${name} is a damaged Parquet file: ${what}. Get it once more, or write it again`,
    { cause: error },
  );
}

/** A file that is whole, but not for Dossier. */
export function unsupported(name: string, what: string): DossierError {
  return new DossierError('INPUT_UNREADABLE', `${name} ${what}`);
}
