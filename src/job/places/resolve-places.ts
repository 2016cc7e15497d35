import { join } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ColumnOrder } from '../../records/columns/column-order.ts';
import type { Path } from '../file/read-yaml.ts';
import type { readFlags } from '../job-flags.ts';
import type { Job } from '../job-schema.ts';
import { postgresAddress, type SecretAddress, secretAddress } from '../read-address.ts';
import type { ResolvedJob } from '../resolved-job.ts';
import { isObjectPath } from '../schema/fields.ts';
import type { Place } from '../schema/output-fields.ts';

type GivenPlace = ReturnType<typeof Place.parse>;

/** What completes the places of a job. */
interface PlaceContext {
  readonly flags: ReturnType<typeof readFlags>;
  /** The folder of a job that names none. */
  readonly defaultFolder: string;
  readonly fromCwd: (path: string) => string;
  readonly fromJob: (path: string) => string;
  /** File, line and column of a part of the job. */
  readonly placeOf: (path: Path) => string | undefined;
}

/**
 * Finds where a result goes. `--output` takes the place of all that the job names, in the form of its first files; flags
 * about the form hold for all files.
 */
export function resolvePlaces(
  output: Job['output'],
  context: PlaceContext,
): Pick<ResolvedJob, 'output' | 'otherPlaces'> {
  const given = [output].flat();
  const files = given.find(({ postgres }) => postgres === undefined);
  const { flags } = context;
  const places =
    flags.output === undefined
      ? given.map((place) => resolvePlace(place, context))
      : [filesPlace({ ...(files ?? plain), path: flags.output }, context, context.fromCwd)];
  refuseSame(places, given, context);
  const first = places.find((place) => place.kind === 'folder');
  const others = places.filter((place) => place !== first);
  if (first) return { output: withoutKind(first), otherPlaces: others };
  const form = withoutKind(filesPlace({ ...(files ?? plain), path: undefined }, context));
  return { output: { ...form, isLeftOut: true }, otherPlaces: others };
}

function resolvePlace(given: GivenPlace, context: PlaceContext): ResolvedPlace {
  const { postgres, schema } = given;
  if (postgres === undefined) return filesPlace(given, context);
  const address = secretAddress(postgres, 'output.postgres', postgresAddress);
  return { kind: 'postgres', address, schema };
}

/** What is said of files where a job names none. */
const plain: Omit<GivenPlace, 'postgres' | 'schema'> = {
  format: ['csv'],
  columns: 'all',
  compress: 'none',
  delimiter: ',',
  excelSafe: false,
  bom: false,
  whenIncomplete: 'hold',
};

function filesPlace(
  given: typeof plain,
  { flags, defaultFolder, fromJob }: PlaceContext,
  from = fromJob,
): FilesPlace {
  const { path } = given;
  const delimiter = flags.outputDelimiter ?? given.delimiter;
  const form = {
    formats: [...new Set([flags.format ?? given.format].flat())],
    columns: [flags.columns ?? given.columns].flat(),
    order: flags.order ?? given.order,
    compress: given.compress,
    excelSafe: flags.excelSafe ?? given.excelSafe,
    bom: flags.bom ?? given.bom,
    delimiter: delimiter === 'tab' ? ('\t' as const) : delimiter,
    whenIncomplete: given.whenIncomplete,
  };
  if (path !== undefined && isObjectPath(path)) {
    return { kind: 's3', path: path.replace(/\/+$/, ''), ...form };
  }
  return { kind: 'folder', path: path === undefined ? defaultFolder : from(path), ...form };
}

function withoutKind({ kind: _, ...files }: FilesPlace): ResolvedFolder {
  return files;
}

/** Two results in one place would replace each other with every run. */
function refuseSame(
  places: readonly ResolvedPlace[],
  given: readonly GivenPlace[],
  { placeOf }: PlaceContext,
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

/** What of a run stands in the paths of its results. */
interface PlacedRun {
  /** Such as `r7`. */
  readonly id: string;
  readonly job: string;
  /** Of its last start: a run that is taken up a week later is the result of that day. */
  readonly startedAt: Date;
  readonly isTry: boolean;
}

/**
 * Where the files of one run go: `out/{date}/{run} → out/2026-08-22/r7`, the date in UTC. A try of the first
 * rows has a folder inside it, so that it never replaces the whole result.
 */
export function pathOfRun(path: string, { id, job, startedAt, isTry }: PlacedRun): string {
  const filled = { date: startedAt.toISOString().slice(0, 10), run: id, job };
  const whole = path.replace(/\{(date|run|job)\}/g, (_, name: keyof typeof filled) => filled[name]);
  return isTry ? join(whole, 'try') : whole;
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
