import { createHash } from 'node:crypto';
import type { ResolvedJob } from './resolve-job.ts';

/**
 * Tells whether two runs asked for the same thing. It covers what decides the results, so neither
 * paths, limits nor the key: moving a folder or slowing a job down does not make it another job.
 */
export function jobFingerprint(job: ResolvedJob): string {
  const { service, input, identify, country, people, reference, onMismatch, reuse, output } = job;
  const { path: _, ...form } = output;
  const decisive = {
    url: service.url,
    input: { ...input.options, maxRows: input.maxRows },
    identify,
    country,
    people,
    reference,
    onMismatch,
    reuse,
    form,
  };
  return createHash('sha256').update(canonicalJson(decisive)).digest('hex');
}

/** Keys in order, so that the order in which a job was written does not matter. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inside: unknown) => {
    if (inside === Number.POSITIVE_INFINITY) return 'forever';
    if (typeof inside !== 'object' || inside === null || Array.isArray(inside)) return inside;
    return Object.fromEntries(
      Object.entries(inside).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
