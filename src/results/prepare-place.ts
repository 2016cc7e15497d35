import type { LoadOptions } from './postgres/prepare-load.ts';
import { type ExportOptions, type FileOptions, prepareExport } from './prepare-export.ts';
import type { PreparedExport, RecordSource } from './sink.ts';
import type { UploadOptions } from './upload/prepare-upload.ts';

export type PlaceOfRun =
  | ({ readonly kind: 'folder'; readonly path: string } & FileOptions)
  | ({ readonly kind: 's3' } & FileOptions & Pick<UploadOptions, 'path' | 'whenIncomplete'>)
  | ({ readonly kind: 'postgres' } & Pick<LoadOptions, 'address' | 'schema'>);

export type ExportParts = Omit<ExportOptions, 'folder' | keyof FileOptions> &
  Pick<UploadOptions, 'startedAt' | 'ledger'>;

/** Loads only the code of the chosen destination. */
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
