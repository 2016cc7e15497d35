import { resolve } from 'node:path';
import type { z } from 'zod';
import { DossierError } from '../core/errors.ts';
import { type JobFlags, readFlags } from './job-flags.ts';
import type { Job } from './job-schema.ts';
import type { LoadedJob } from './load-job.ts';
import { postgresAddress, type SecretAddress, secretAddress } from './read-address.ts';
import { isObjectPath } from './schema/fields.ts';
import { Destination } from './schema/output-fields.ts';

const emptyParts = /(?<!:)\/+(?=\/|$)/g;

type GivenDestination = z.output<typeof Destination>;

export type ResolvedFiles = Omit<GivenDestination, 'path' | 'format' | 'postgres' | 'schema'> & {
  /** Absolute, or `s3://…`. `placesOf` fills in `{date}`, `{run}` and `{job}`. */
  readonly path: string;
  readonly formats: GivenDestination['format'];
};

export type ResolvedDestination =
  | ({ readonly kind: 'folder' } & ResolvedFiles)
  | ({ readonly kind: 's3' } & ResolvedFiles)
  | { readonly kind: 'postgres'; readonly address: SecretAddress; readonly schema: string };

export interface JobDestinations {
  /** `isUnused`: the job has no local folder. */
  readonly output: ResolvedFiles & { readonly isUnused?: boolean };
  readonly otherDestinations: readonly ResolvedDestination[];
}

/** `--output` replaces all destinations, but keeps the options of the first file destination. */
export function resolveDestinations(
  { output, name }: Job,
  { columns, order, bom, excelSafe, ...others }: JobFlags,
  cwd: string,
  jobFolder: string,
  positionOf: LoadedJob['positionOf'],
): JobDestinations {
  const form = readFlags({ columns, order, bom, excelSafe });
  const flags = readFlags(others);
  const home = resolve(cwd, 'output', name);
  const formed = ({ postgres: _, schema: __, format, ...destination }: GivenDestination) => {
    const { outputDelimiter: delimiter = destination.delimiter } = flags;
    return { ...destination, ...form, delimiter, formats: [...new Set(flags.format ?? format)] };
  };
  const filesAt = (destination: GivenDestination, path = home, from = jobFolder) =>
    isObjectPath(path)
      ? // In a store, `a//b` and `a/b` would be different keys.
        { ...formed(destination), kind: 's3' as const, path: path.replaceAll(emptyParts, '') }
      : { ...formed(destination), kind: 'folder' as const, path: resolve(from, path) };
  const given = [output].flat();
  const model = given.find(({ postgres }) => postgres === undefined) ?? Destination.parse({});
  const written: { key: string; text: string }[] = [];
  const destinations = given.map((destination): ResolvedDestination => {
    const { postgres, schema, path } = destination;
    if (postgres === undefined) {
      const files = filesAt(destination, path);
      written.push({ key: files.path, text: files.path });
      return files;
    }
    written.push({ key: `${postgres} ${schema}`, text: `schema ${schema} of one database` });
    const address = secretAddress(postgres, 'output.postgres', postgresAddress);
    return { kind: 'postgres', address, schema };
  });
  if (flags.output === undefined) refuseEqualDestinations(written, positionOf);
  const named = flags.output === undefined ? destinations : [filesAt(model, flags.output, cwd)];
  const first = named.find((destination) => destination.kind === 'folder');
  return {
    output: first ?? { ...formed(model), path: home, isUnused: true },
    otherDestinations: named.filter((destination) => destination !== first),
  };
}

/** `written` identifies a destination in the job file. It may contain a password. */
function refuseEqualDestinations(
  written: readonly { readonly key: string; readonly text: string }[],
  positionOf: LoadedJob['positionOf'],
) {
  const keys = written.map(({ key }) => key);
  const second = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (second === -1) return;
  const position = positionOf(['output', second]);
  const where = position ? `${position}: ` : '';
  throw new DossierError(
    'JOB_INVALID',
    `${where}output contains ${written[second]?.text} twice: give each destination its own path or schema, or list all formats in one destination`,
  );
}

export function destinationsOf({
  output,
  otherDestinations,
}: JobDestinations): readonly ResolvedDestination[] {
  return output.isUnused
    ? otherDestinations
    : [{ kind: 'folder', ...output }, ...otherDestinations];
}

export function foldersOf(job: JobDestinations): string[] {
  return destinationsOf(job).flatMap((destination) =>
    destination.kind === 'folder' ? destination.path : [],
  );
}
