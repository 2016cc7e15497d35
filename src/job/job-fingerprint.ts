import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { ResolvedFiles } from './resolve-job.ts';
import type { ResolvedJob } from './resolved-job.ts';

/**
 * A hash that is equal for two runs that ask for the same. It covers what decides the results, and
 * neither paths, limits nor the key: a job stays the same when its folder moves, its rate drops or the result
 * goes to another place as well.
 */
export function jobFingerprint(job: ResolvedJob): string {
  const { service, input, identify, country, people, reference, reuse } = job;
  const { refresh, keepsOutcomes } = job;
  return hashOf({
    url: service.url,
    input: { ...input.options, key: input.key, maxRows: input.maxRows },
    identify,
    country,
    people,
    reference,
    reuse,
    refresh,
    keepsOutcomes,
    suppressed: suppressedBy(job),
    form: formOf(job.output),
  });
}

/** How records are written to a place, as a hash: files of the same records in the same form are the same. */
export function formFingerprint(
  place: ResolvedFiles | undefined,
  { reference }: Pick<ResolvedJob, 'reference'>,
  version: string,
): string {
  return hashOf({ version, form: place && formOf(place), reference });
}

/** A hash that is equal for two runs in which the same rows and answers come to the same outcomes. */
export function verdictTerms(job: ResolvedJob): string {
  const { service, people } = job;
  return hashOf({ url: service.url, people, suppressed: suppressedBy(job) });
}

/** Hashes of the suppression lists, as their files are now. Absent without lists: then it changes no other hash. */
export function suppressedBy({ suppress }: Pick<ResolvedJob, 'suppress'>): string[] | undefined {
  return suppress.length === 0 ? undefined : suppress.map(hashOfFile);
}

const hashesOfFiles = new Map<string, { readonly stamp: string; readonly hash: string }>();

/** A file that cannot be read has none: whoever reads it says why. */
function hashOfFile(path: string): string {
  try {
    const { size, mtimeMs } = statSync(path);
    const stamp = `${size} ${mtimeMs}`;
    const known = hashesOfFiles.get(path);
    if (known?.stamp === stamp) return known.hash;
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    hashesOfFiles.set(path, { stamp, hash });
    return hash;
  } catch {
    return '';
  }
}

/** What of a place decides the bytes of a file, and not where it goes. */
function formOf({ formats, columns, order, delimiter, excelSafe, bom }: ResolvedFiles) {
  return { formats, columns, order, delimiter, excelSafe, bom };
}

function hashOf(decisive: object): string {
  return createHash('sha256').update(canonicalJson(decisive)).digest('hex');
}

/** Sorts keys, so that their order in the job file does not matter. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inside: unknown) => {
    if (inside === Number.POSITIVE_INFINITY) return 'forever';
    if (typeof inside !== 'object' || inside === null || Array.isArray(inside)) return inside;
    return Object.fromEntries(
      Object.entries(inside).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
