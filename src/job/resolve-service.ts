import { DossierError } from '../errors.ts';
import { type Price, toMicros } from '../runtime/budget/money.ts';
import { sampleData } from '../runtime/sample-data.ts';
import { fallbackUrlVariable } from '../runtime/terms/fallback-url.ts';
import type { Environment } from './file/expand-variables.ts';
import type { Job } from './job-schema.ts';
import { type KeySource, keyVariable } from './read-key.ts';
import type { ResolvedJob } from './resolved-job.ts';
import { isServiceUrl } from './schema/field-checks.ts';

/** What overrides or completes the service of a job from outside its file. */
interface ServiceContext {
  /** As the command line names them; the path is absolute. */
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
  readonly env: Environment;
  /** Makes a path of the job file absolute. */
  fromJob(path: string | undefined): string | undefined;
}

/** Address, key and price of the service: flags first, then the environment, then the job file. */
export function resolveService(
  service: Job['service'],
  given: ServiceContext,
): ResolvedJob['service'] {
  const { env } = given;
  const url = serviceUrl(given.url, env.DOSSIER_URL, service.url, env[fallbackUrlVariable]);
  return {
    url,
    key: keySource(service, url, given),
    price: url === sampleData ? undefined : priceOf(service.price),
  };
}

function serviceUrl(...offered: (string | undefined)[]): string {
  const url = offered.find((text) => text !== undefined && text !== '');
  if (url === undefined) throw new DossierError('SERVICE_MISSING', 'no service is named');
  if (!isServiceUrl(url)) {
    throw new DossierError(
      'SERVICE_MISSING',
      'DOSSIER_URL is no http(s) address without user name, password, ? or #',
    );
  }
  if (url === sampleData) return url;
  // Answers, budgets and the rate belong to the service, however a job spells its address.
  return new URL(url).href.replace(/\/+$/, '');
}

function keySource(
  { key, keyFile }: Job['service'],
  url: string,
  given: ServiceContext,
): KeySource {
  if (url === sampleData) return { from: 'nowhere' };
  if (given.keyFile) return { from: 'file', path: given.keyFile };
  if (given.env[keyVariable]) return { from: 'environment', name: keyVariable };
  const path = given.fromJob(keyFile);
  if (path) return { from: 'file', path };
  return { from: 'environment', name: key?.slice(2, -1) ?? keyVariable };
}

function priceOf(written: Job['service']['price']): Price | undefined {
  return (
    written && {
      currency: written.currency,
      companyMicros: toMicros(written.company) ?? 0,
      peopleMicros: toMicros(written.people) ?? 0,
      charged: written.charged,
    }
  );
}
