import { resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ColumnOrder } from '../../records/choose-columns.ts';
import type { Path } from '../file/read-yaml.ts';
import type { JobFlags, readFlags } from '../job-flags.ts';
import type { Job } from '../job-schema.ts';
import { postgresAddress, type SecretAddress, secretAddress } from '../read-address.ts';
import type { ResolvedJob } from '../resolved-job.ts';
import { isObjectPath } from '../schema/fields.ts';
import { Place } from '../schema/output-fields.ts';

type GivenPlace = ReturnType<typeof Place.parse>;

/**
 * Finds where a result goes. `--output` takes the place of all that the job names, in the form of its first files; flags
 * about the form hold for all files.
 */
export function resolvePlaces(
  { output, name }: Pick<Job, 'output' | 'name'>,
  flags: ReturnType<typeof readFlags<JobFlags>>,
  { cwd, jobFolder }: { readonly cwd: string; readonly jobFolder: string },
  placeOf: (path: Path) => string | undefined,
): Pick<ResolvedJob, 'output' | 'otherPlaces'> {
  const folderAt = (path: string | undefined, from: string) =>
    path === undefined ? resolve(cwd, 'output', name) : resolve(from, path);
  const filesAt = (place: GivenPlace, path: string | undefined, from = jobFolder): FilesPlace => {
    const { compress, whenIncomplete } = place;
    const { format = place.format, columns = place.columns, order = place.order } = flags;
    const { bom = place.bom, excelSafe = place.excelSafe } = flags;
    const { outputDelimiter: delimiter = place.delimiter } = flags;
    const isObject = path !== undefined && isObjectPath(path);
    return {
      kind: isObject ? 's3' : 'folder',
      path: isObject ? path.replace(/\/+$/, '') : folderAt(path, from),
      formats: [...new Set(format)],
      columns,
      order,
      compress,
      excelSafe,
      bom,
      delimiter,
      whenIncomplete,
    };
  };
  const given = [output].flat();
  const form = given.find(({ postgres }) => postgres === undefined) ?? Place.parse({});
  const places: ResolvedPlace[] =
    flags.output === undefined
      ? given.map((place): ResolvedPlace => {
          const { postgres, schema, path } = place;
          if (postgres === undefined) return filesAt(place, path);
          const address = secretAddress(postgres, 'output.postgres', postgresAddress);
          return { kind: 'postgres', address, schema };
        })
      : [filesAt(form, flags.output, cwd)];
  refuseSame(places, given, placeOf);
  const first = places.find((place) => place.kind === 'folder');
  const otherPlaces = places.filter((place) => place !== first);
  const { kind: _, ...folder } = first ?? filesAt(form, undefined);
  return { output: first ? folder : { ...folder, isLeftOut: true }, otherPlaces };
}

/** Two results in one place would replace each other with every run. */
function refuseSame(
  places: readonly ResolvedPlace[],
  given: readonly GivenPlace[],
  placeOf: (path: Path) => string | undefined,
): void {
  const named = places.map((place, index) =>
    place.kind === 'postgres'
      ? {
          key: `${given[index]?.postgres} ${place.schema}`,
          text: `schema ${place.schema} of one database`,
        }
      : { key: place.path, text: place.path },
  );
  const second = named.findIndex(({ key }, index) =>
    named.slice(0, index).some((other) => other.key === key),
  );
  if (second === -1) return;
  const where = placeOf(['output', second]);
  throw new DossierError(
    'JOB_INVALID',
    `${where ? `${where}: ` : ''}output names ${named[second]?.text} twice: give each place a path or schema of its own, or put all formats into one`,
  );
}

/** Files in a folder of this machine, or below an address, and how they are written. */
export interface ResolvedFiles {
  readonly formats: readonly ('csv' | 'jsonl' | 'parquet' | 'xlsx')[];
  /** Columns of companies and people, by name, pattern or preset. */
  readonly columns: readonly string[];
  /** Undefined: the usual one of each format. */
  readonly order: ColumnOrder | undefined;
  readonly delimiter: ',' | ';' | '|' | '\t';
  readonly compress: 'none' | 'gzip' | 'zstd';
  readonly excelSafe: boolean;
  readonly bom: boolean;
  /** Absolute, or `s3://…`. `pathOfRun` fills in `{date}`, `{run}` and `{job}`. */
  readonly path: string;
  readonly whenIncomplete: 'hold' | 'publish';
}

/** The folder of a job that people look into. */
export interface ResolvedFolder extends ResolvedFiles {
  /** The job names no folder, only places elsewhere: nothing is written here. */
  readonly isLeftOut?: boolean;
}

type FilesPlace =
  | ({ readonly kind: 'folder' } & ResolvedFiles)
  | ({ readonly kind: 's3' } & ResolvedFiles);

/** Where a result goes: files, or tables of a database. */
export type ResolvedPlace =
  | FilesPlace
  | { readonly kind: 'postgres'; readonly address: SecretAddress; readonly schema: string };

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
