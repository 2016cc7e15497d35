import { DossierError } from '../../errors.ts';
import type { ResolvedPlace } from '../../job/places/resolved-place.ts';
import type { ExportSummary } from '../../sinks/prepared-export.ts';

/** What has become of a result in one of its places. */
export interface WrittenPlace {
  readonly kind: ResolvedPlace['kind'];
  /** A folder or an address, as people may see it. */
  readonly address: string;
  /** What was written; absent where nothing was. */
  readonly summary?: ExportSummary;
  /** Why it could not be written. */
  readonly failed?: DossierError;
  /** Why nothing was to be written there. */
  readonly leftOut?: string;
}

/** The folders that were written. */
export function foldersIn({ places }: { readonly places: readonly WrittenPlace[] }): string[] {
  return places.flatMap(({ kind, summary }) =>
    kind === 'folder' && summary ? [summary.folder] : [],
  );
}

/** Places elsewhere that could not be written, as one error; undefined where all were. */
export function unreachedError(places: readonly WrittenPlace[]): DossierError | undefined {
  const failed = places.filter((place) => place.failed !== undefined);
  if (failed.length === 0) return undefined;
  const reasons = failed.map(({ address, failed: error }) =>
    reasonAt(address, error?.message ?? ''),
  );
  return new DossierError(
    'OUTPUT_UNREACHED',
    `the result is in the ledger, but not in all its places: ${reasons.join('; ')}`,
    { cause: failed[0]?.failed },
  );
}

/** Messages of a store or database say already where it is. */
function reasonAt(address: string, message: string): string {
  return /^(?:s3:\/\/|PostgreSQL at )/.test(message) ? message : `${address}: ${message}`;
}
