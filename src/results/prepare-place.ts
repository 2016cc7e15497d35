import type { LoadOptions } from './postgres/prepare-load.ts';
import { type ExportOptions, type FileOptions, prepareExport } from './prepare-export.ts';
import type { PreparedExport, RecordSource } from './sink.ts';
import type { UploadOptions } from './upload/prepare-upload.ts';

/** Where the result of one run goes. What has to be asked elsewhere is found there: whether a result stands in its place. */
export type PlaceOfRun =
  | ({ readonly kind: 'folder'; readonly path: string } & FileOptions)
  | ({ readonly kind: 's3' } & FileOptions & Pick<UploadOptions, 'path' | 'whenIncomplete'>)
  | ({ readonly kind: 'postgres' } & Pick<LoadOptions, 'address' | 'schema'>);

/** What a result is written with, wherever it goes. */
export type ExportParts = Omit<ExportOptions, 'folder' | keyof FileOptions> &
  Pick<UploadOptions, 'startedAt' | 'ledger'>;

/** Writes a result to a place, without showing it. What only some places need is loaded for them alone. */
export async function preparePlace(
  source: RecordSource,
  place: PlaceOfRun,
  parts: ExportParts,
): Promise<PreparedExport> {
  switch (place.kind) {
    case 'folder':
      return await prepareExport(source, { ...parts, ...place, folder: place.path });
    case 's3': {
      const { prepareUpload } = await import('./upload/prepare-upload.ts');
      return await prepareUpload(source, { ...parts, ...place });
    }
    case 'postgres': {
      const { prepareLoad } = await import('./postgres/prepare-load.ts');
      return await prepareLoad(source, { ...parts, ...place });
    }
  }
}
