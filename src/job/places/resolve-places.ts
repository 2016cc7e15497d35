import { DossierError } from '../../errors.ts';
import type { Path } from '../file/read-yaml.ts';
import type { readFlags } from '../job-flags.ts';
import type { Job } from '../job-schema.ts';
import { postgresAddress, secretAddress } from '../read-address.ts';
import type { ResolvedJob } from '../resolved-job.ts';
import type { Place } from '../schema/output-fields.ts';
import { isObjectPath } from '../schema/output-path.ts';
import type { FilesPlace, ResolvedFolder, ResolvedPlace } from './resolved-place.ts';

type GivenPlace = ReturnType<typeof Place.parse>;

/** What completes the places of a job. */
export interface PlaceContext {
  readonly flags: Pick<
    ReturnType<typeof readFlags>,
    'output' | 'format' | 'columns' | 'order' | 'outputDelimiter' | 'bom' | 'excelSafe'
  >;
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
  const { postgres, schema, whenRemoved } = given;
  if (postgres === undefined) return filesPlace(given, context);
  const address = secretAddress(postgres, 'output.postgres', postgresAddress);
  return { kind: 'postgres', address, schema, whenRemoved };
}

/** What is said of files where a job names none. */
const plain: Omit<GivenPlace, 'postgres' | 'schema' | 'whenRemoved'> = {
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
    columns: flags.columns ?? [given.columns].flat(),
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
