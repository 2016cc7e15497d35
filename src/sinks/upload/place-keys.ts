import { DossierError } from '../../errors.ts';
import type { ObjectAddress } from '../../objects/object-address.ts';
import { readObjectAddress } from '../../objects/object-address.ts';

/** The values of the placeholders in a path. */
export interface PathValues {
  readonly job: string;
  /** `r7` */
  readonly run: string;
  /** `2026-08-22` */
  readonly date: string;
}

export function requireAddress(path: string): ObjectAddress {
  const address = readObjectAddress(path);
  if (address) return address;
  throw new DossierError('JOB_INVALID', `${path} is not an address such as s3://bucket/prefix`);
}

/**
 * The folder of one result: `runs/{date} → runs/2026-08-22`. A result that is put aside lies before the
 * varying part, `runs/held-r7/2026-08-22`, so readers of `runs/2026-08-22` never find it.
 */
export function folderOfResult(
  { bucket, key }: ObjectAddress,
  values: PathValues,
  aside = '',
): ObjectAddress {
  const fixed = fixedPart(key, values);
  const whole = key.replace(placeholder, (_, name: keyof PathValues) => values[name]);
  return { bucket, key: joined(fixed, aside, whole.slice(fixed.length)) };
}

/** The folder of `latest.json` and of results put aside: all before the first folder that varies. */
export function fixedFolder({ bucket, key }: ObjectAddress, values: PathValues): ObjectAddress {
  return { bucket, key: joined(fixedPart(key, values)) };
}

export function objectIn({ bucket, key }: ObjectAddress, name: string): ObjectAddress {
  return { bucket, key: joined(key, name) };
}

const placeholder = /\{(date|run|job)\}/g;

function fixedPart(path: string, values: PathValues): string {
  const withJob = path.replaceAll('{job}', values.job);
  const varies = withJob.search(placeholder);
  return varies === -1 ? withJob : withJob.slice(0, withJob.lastIndexOf('/', varies) + 1);
}

/** Without empty parts: to a store `a//b` is another key than `a/b`. */
function joined(...parts: readonly string[]): string {
  return parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/');
}
