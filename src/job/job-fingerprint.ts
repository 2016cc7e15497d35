import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isRecord } from '../core/values/parse-json.ts';
import { providerOf, serviceIdentity } from '../engine/providers/providers.ts';
import type { ResolvedFiles } from './resolve-destinations.ts';
import type { ResolvedJob } from './resolved-job.ts';

/** Without paths, limits and the API key, so a moved job stays the same job. */
export function jobFingerprint(job: ResolvedJob, isFix = false): string {
  const { services, input, identify, country, people, reference, reuse, refresh } = job;
  return hashOf({
    url: urlIn(services),
    input: { ...input.options, key: input.key, maxRows: input.maxRows },
    identify,
    country,
    people,
    reference,
    reuse,
    refresh,
    // Keeps its old name and is absent if false, because stored fingerprints must stay equal.
    keepsOutcomes: isFix || undefined,
    suppressed: suppressedBy(job),
    form: formOf(job.output),
  });
}

export function formFingerprint(
  place: ResolvedFiles | undefined,
  { reference, services }: Pick<ResolvedJob, 'reference' | 'services'>,
  version: string,
): string {
  const records = services.map((service) => providerOf(service).version.record).join();
  const fields = records || undefined;
  return hashOf({ version, form: place && formOf(place), reference, fields });
}

/** If equal, the same rows and answers give the same outcomes in two runs. */
export function outcomeSettingsHash(job: ResolvedJob): string {
  const { services, people } = job;
  return hashOf({ url: urlIn(services), people, suppressed: suppressedBy(job) });
}

/**
 * Ledgers of version 0.9.0 have fingerprints of the former spelling. With other rules, an adapter
 * may read another outcome from the same answer, so an unfinished run is not continued.
 */
function urlIn(services: ResolvedJob['services']) {
  const identities = services.map(({ provider, url, formerUrl = url, adapter }) => {
    const identity = serviceIdentity({ provider, url: formerUrl });
    return adapter ? `${identity} ${providerOf({ provider, adapter }).version.judging}` : identity;
  });
  return identities.length === 1 ? identities[0] : identities;
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
