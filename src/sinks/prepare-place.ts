import { DossierError } from '../errors.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { FormatOptions } from './files/formats.ts';
import type { FileOptions } from './files/record-file.ts';
import { type ExportOptions, prepareExport } from './prepare-export.ts';
import type { PreparedExport } from './prepared-export.ts';
import type { RecordSource } from './write-records.ts';

/** Where the result of one run goes. */
export type PlaceOfRun =
  | ({ readonly kind: 'folder' | 's3'; readonly path: string } & FormatOptions & FileOptions)
  | {
      readonly kind: 'postgres';
      readonly address: URL;
      readonly schema: string;
      readonly whenRemoved: 'mark' | 'delete';
    };

/** What a result is written with, wherever it goes. */
export type ExportParts = Omit<ExportOptions, 'folder' | keyof FormatOptions | keyof FileOptions>;

/** Writes a result to a place, without showing it. */
export async function preparePlace(
  source: RecordSource,
  place: PlaceOfRun,
  parts: ExportParts,
): Promise<PreparedExport> {
  switch (place.kind) {
    case 'folder':
      return await prepareExport(source, { ...parts, ...place, folder: place.path });
    case 's3':
    case 'postgres':
      throw new DossierError('OUTPUT_UNREACHED', `${place.kind} comes with the next merge`);
    default:
      return assertNever(place);
  }
}
