import { DossierError } from '../errors.ts';
import { type Price, toMicros } from '../runtime/budget/money.ts';
import { parseDuration } from '../runtime/duration.ts';
import { sampleData } from '../runtime/sample-data.ts';
import { fallbackUrlVariable } from '../runtime/terms.ts';
import { type Environment, expandVariables } from './file/expand-variables.ts';
import type { Job } from './job-schema.ts';
import { redisAddress, type SecretAddress, secretAddress } from './read-address.ts';
import { type KeySource, keyVariable } from './read-key.ts';
import type { ResolvedJob } from './resolved-job.ts';
import { isServiceUrl, parseByteSize } from './schema/fields.ts';
import { defaultShare, shareVariable } from './schema/service-fields.ts';

/** What overrides or completes the service of a job from outside its file. */
interface ServiceContext {
  /** As the command line names them; the path is absolute. */
  readonly url: string | undefined;
  readonly keyFile: string | undefined;
  readonly share: string | undefined;
  readonly env: Environment;
  /** Makes a path of the job file absolute. */
  fromJob(path: string | undefined): string | undefined;
}

/** Address, key, price and share of the service: flags first, then the environment, then the job file. */
export function resolveService(
  service: Job['service'],
  given: ServiceContext,
): ResolvedJob['service'] {
  const { env } = given;
  const url = serviceUrl(given.url, env.DOSSIER_URL, service.url, env[fallbackUrlVariable]);
  const key = keySource(service, url, given);
  const shared = sharedAddress(service.share, given);
  if (url === sampleData) {
    return isFilled(shared?.written ?? '', env) ? { url, key, leavesShareOut: true } : { url, key };
  }
  const share = shared && shareTerms(service.share, shared.address);
  return { url, key, price: priceOf(service.price), share };
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

/** Undefined where nothing is to be shared. Variables of `written` are filled in. */
function sharedAddress(share: Job['service']['share'], given: ServiceContext) {
  const named = (written: string, field: string) => ({
    written,
    address: secretAddress(written, field, redisAddress),
  });
  // The shell has filled in the variables of a flag, so that a dollar sign is one of the password.
  if (given.share !== undefined) {
    const flag = named(given.share.replaceAll('$', '$$$$'), '--share');
    // Guards the password at once: commands that a plan advises repeat the command line.
    flag.address.reveal({});
    return flag;
  }
  // A variable that is empty turns sharing off, and `check` tells it.
  if (given.env[shareVariable] !== undefined) return named(`\${${shareVariable}:-}`, shareVariable);
  if (share === undefined) return undefined;
  return named(typeof share === 'string' ? share : share.url, 'service.share');
}

function isFilled(written: string, env: Environment): boolean {
  const expansion = expandVariables(written, env);
  return 'text' in expansion && expansion.text.trim() !== '';
}

/** An address alone stands for a share with the defaults. */
function shareTerms(share: Job['service']['share'], address: SecretAddress) {
  const { keepCompanies, keepPeople, memory } =
    share === undefined || typeof share === 'string' ? defaultShare : share;
  return {
    address,
    keepMs: {
      companies: parseDuration(keepCompanies) ?? 0,
      people: parseDuration(keepPeople) ?? 0,
    },
    maxBytes: parseByteSize(memory) ?? 0,
  };
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
