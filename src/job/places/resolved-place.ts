import type { ColumnOrder } from '../../records/columns/column-order.ts';
import type { SecretAddress } from '../read-address.ts';
import type { ResolvedJob } from '../resolved-job.ts';

/** How files are written. */
export interface FileForm {
  readonly formats: readonly ('csv' | 'jsonl' | 'parquet' | 'xlsx')[];
  /** Columns of companies and people, by name, pattern or preset. */
  readonly columns: readonly string[];
  /** Undefined: the usual one of each format. */
  readonly order: ColumnOrder | undefined;
  readonly delimiter: ',' | ';' | '|' | '\t';
  readonly compress: 'none' | 'gzip' | 'zstd';
  readonly excelSafe: boolean;
  readonly bom: boolean;
}

/** Files in a folder of this machine, or below an address. */
export interface ResolvedFiles extends FileForm {
  /** Absolute, or `s3://…`. `pathOfRun` fills in `{date}`, `{run}` and `{job}`. */
  readonly path: string;
  readonly whenIncomplete: 'hold' | 'publish';
}

/** The folder of a job that people look into. */
export interface ResolvedFolder extends ResolvedFiles {
  /** The job names no folder, only places elsewhere: nothing is written here. */
  readonly isLeftOut?: boolean;
}

/** Tables of a database. */
export interface ResolvedDatabase {
  readonly address: SecretAddress;
  readonly schema: string;
  /** What becomes of rows that have left the list. */
  readonly whenRemoved: 'mark' | 'delete';
}

export type FilesPlace =
  | ({ readonly kind: 'folder' } & ResolvedFiles)
  | ({ readonly kind: 's3' } & ResolvedFiles);

/** Where a result goes. */
export type ResolvedPlace = FilesPlace | ({ readonly kind: 'postgres' } & ResolvedDatabase);

type PlacedJob = Pick<ResolvedJob, 'output' | 'otherPlaces'>;

/** All places of a job: the folder that people look into comes first. */
export function placesOf({ output, otherPlaces = [] }: PlacedJob): ResolvedPlace[] {
  if (output.isLeftOut) return [...otherPlaces];
  return [{ kind: 'folder', ...output }, ...otherPlaces];
}

/** The paths of all folders of a job. */
export function foldersOf(job: PlacedJob): string[] {
  return placesOf(job).flatMap((place) => (place.kind === 'folder' ? [place.path] : []));
}

/** The paths and addresses of all places of files. */
export function filePathsOf(job: PlacedJob): string[] {
  return placesOf(job).flatMap((place) => (place.kind === 'postgres' ? [] : [place.path]));
}
