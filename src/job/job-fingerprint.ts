import { createHash } from 'node:crypto';
import type { ResolvedJob } from './resolve-job.ts';

/**
 * A hash that is equal for two runs that ask for the same. It covers what decides the results, and
 * neither paths, limits nor the key: a job stays the same when its folder moves or its rate drops.
 */
export function jobFingerprint(job: ResolvedJob): string {
  const {
    service,
    input,
    identify,
    country,
    people,
    reference,
    onMismatch,
    reuse,
    refresh,
    keepsOutcomes,
    output,
  } = job;
  const { path: _, whenIncomplete: __, ...form } = output;
  const decisive = {
    url: service.url,
    input: { ...input.options, key: input.key, maxRows: input.maxRows },
    identify,
    country,
    people,
    reference,
    onMismatch,
    reuse,
    refresh,
    keepsOutcomes,
    form,
  };
  return createHash('sha256').update(canonicalJson(decisive)).digest('hex');
}

/** How records are written, as a hash: files of the same records in the same form are the same. */
export function formFingerprint({ output, reference }: ResolvedJob, version: string): string {
  const { path: _, whenIncomplete: __, ...form } = output;
  const decisive = { version, form, reference };
  return createHash('sha256').update(canonicalJson(decisive)).digest('hex');
}

/** A hash that is equal for two runs in which the same rows and answers come to the same outcomes. */
export function verdictTerms({ service, people, onMismatch }: ResolvedJob): string {
  const decisive = { url: service.url, people, onMismatch };
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
