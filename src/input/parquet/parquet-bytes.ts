import { DossierError } from '../../errors.ts';

export const magic = 'PAR1';
/** A file whose description is encrypted begins and ends so. */
export const encryptedMagic = 'PARE';

export function isParquet(head: Buffer): boolean {
  const start = head.toString('latin1', 0, 4);
  return start === magic || start === encryptedMagic;
}

/** Throws for a file that is named like Parquet and begins like something else. */
export function refuseNonParquet(name: string, head: Buffer): never {
  throw new DossierError(
    'INPUT_UNREADABLE',
    head.length === 0
      ? `${name} is empty: it holds no bytes at all`
      : `${name} is no Parquet file, though it is called one: if it holds text, name it .csv`,
  );
}
