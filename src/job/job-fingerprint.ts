import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isRecord } from '../core/runtime/json/parse-json.ts';
import type { ResolvedFiles, ResolvedJob } from './resolve-job.ts';

/** Without paths, limits and the API key, so a moved job stays the same job. */
export function jobFingerprint(job: ResolvedJob, isFix = false): string {
  const { service, input, identify, country, people, reference, reuse, refresh } = job;
  return hashOf({
    url: urlIn(service),
    input: { ...input.options, key: input.key, maxRows: input.maxRows },
    identify,
    country,
    people,
    reference,
    reuse,
    refresh,
    // Older ledgers have fingerprints with this name, and without it if it is false.
    keepsOutcomes: isFix || undefined,
    suppressed: suppressedBy(job),
    form: formOf(job.output),
  });
}

export function formFingerprint(
  place: ResolvedFiles | undefined,
  { reference }: Pick<ResolvedJob, 'reference'>,
  version: string,
): string {
  return hashOf({ version, form: place && formOf(place), reference });
}

/** If equal, the same rows and answers give the same outcomes in two runs. */
export function outcomeSettingsHash(job: ResolvedJob): string {
  const { service, people } = job;
  return hashOf({ url: urlIn(service), people, suppressed: suppressedBy(job) });
}

/** Ledgers of version 0.9.0 have fingerprints of the former spelling. */
function urlIn({ url, formerUrl = url }: ResolvedJob['service']) {
  return formerUrl;
}

function suppressedBy({ suppress }: Pick<ResolvedJob, 'suppress'>) {
  return suppress.length === 0 ? undefined : suppress.map(hashOfFile);
}

/** Ignores errors, because reading the list later reports them. */
function hashOfFile(path: string) {
  try {
    return hash('sha256', readFileSync(path));
  } catch {
    return '';
  }
}

function formOf({ formats, columns, order, delimiter, excelSafe, bom }: ResolvedFiles) {
  return { formats, columns, order, delimiter, excelSafe, bom };
}

function hashOf(decisive: object) {
  return hash('sha256', canonicalJson(decisive));
}

function canonicalJson(value: unknown) {
  return JSON.stringify(value, (_, inside: unknown) => {
    if (inside === Number.POSITIVE_INFINITY) return 'forever';
    if (!isRecord(inside)) return inside;
    return Object.fromEntries(
      Object.entries(inside).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
