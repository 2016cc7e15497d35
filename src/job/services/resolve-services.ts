import { dirname, resolve } from 'node:path';
import { DossierError, type ErrorCode } from '../../core/errors.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { nearestWord } from '../../core/values/nearest-word.ts';
import { adapterId, providerAt, serviceIdentity } from '../../engine/providers/providers.ts';
import { readServiceUrl } from '../../engine/providers/service-url.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import type { Job } from '../job-schema.ts';
import type { Environment, SecretAddress } from '../read-address.ts';
import type { ResolvedService } from '../resolved-job.ts';
import type { DescribedService } from '../schema/services-fields.ts';
import { findServices, noServices, requireOwn } from './find-services.ts';
import { loadAdapter } from './load-adapter.ts';
import { type LoadedServices, loadServices } from './load-services.ts';

interface ResolvingOptions {
  readonly jobFolder: string;
  readonly env: Environment;
  /** What the job or a flag says; undefined if neither does. */
  readonly rate: number | 'none' | undefined;
  reuse(described: Job['reuse']): ReuseTerms;
  share(described: string | undefined): SecretAddress | undefined;
  /** The place of a name in the job. */
  positionOf(index: number): string | undefined;
}

/** For a job that names none: the service at DOSSIER_URL or, without that variable, the first. */
export function defaultService(jobFolder: string, env: Environment): string | undefined {
  const path = findServices(jobFolder, env);
  if (path === undefined) return undefined;
  const { services } = loadServices(path, env);
  const wanted = env.DOSSIER_URL && readServiceUrl(env.DOSSIER_URL).url;
  const isAt = ([, { url = '' }]: [string, DescribedService]) => readServiceUrl(url).url === wanted;
  return Object.entries(services).find((entry) => !wanted || isAt(entry))?.[0];
}

/** The services that a job names, in its order. */
export function resolveServices(names: readonly string[], options: ResolvingOptions) {
  const { jobFolder, env, positionOf } = options;
  const path = findServices(jobFolder, env);
  if (path === undefined) {
    const where = `${positionOf(0) ?? 'service'}: ${names[0]} is described nowhere; `;
    throw noServices(jobFolder, env, where);
  }
  const loaded = loadServices(path, env);
  const services = names.map((name, index) => {
    const where = `${positionOf(index) ?? 'service'}: `;
    if (names.indexOf(name) !== index) {
      throw new DossierError('JOB_INVALID', `${where}${name} is named twice; remove one`);
    }
    return resolveNamed(name, loaded, options, 'JOB_INVALID', where);
  });
  requireDistinct(services, positionOf);
  return { path, services };
}

/** Calls are kept by identity, so the queue would take a miss of one for a miss of the other. */
function requireDistinct(
  services: readonly ResolvedService[],
  positionOf: ResolvingOptions['positionOf'],
) {
  const names = new Map<string, string>();
  for (const [index, service] of services.entries()) {
    const identity = serviceIdentity(service);
    const earlier = names.get(identity);
    if (earlier !== undefined) {
      const where = positionOf(index) ?? 'service';
      const same = `${earlier} and ${service.name} are one service, ${service.url}`;
      throw new DossierError('JOB_INVALID', `${where}: ${same}; remove one`);
    }
    names.set(identity, service.name);
  }
}

/** For a service that is only described, without a job. */
const ofNoJob = { rate: undefined, reuse: () => ({}) as never, share: () => undefined };

export function resolveNamed(
  name: string,
  { path, services, problems, positionOf }: LoadedServices,
  { rate: limit, reuse, share }: Pick<ResolvingOptions, 'rate' | 'reuse' | 'share'> = ofNoJob,
  code: ErrorCode = 'USAGE',
  named = '',
): ResolvedService {
  const described = Object.hasOwn(services, name) ? services[name] : undefined;
  if (!described) {
    const known = Object.keys(services);
    const meant = nearestWord(name, known);
    const hint = meant === undefined ? `it has ${known.join(', ')}` : `did you mean ${meant}?`;
    throw new DossierError(code, `${named}${fromHere(path)} has no service ${name}; ${hint}`);
  }
  const problem = problems.get(name);
  if (problem !== undefined) {
    const where = positionOf(['services', name]) ?? path;
    throw new DossierError('SERVICE_MISSING', `${where}: ${problem}`);
  }
  const fromFile = (written: string) => resolve(dirname(path), written);
  const adapter = described.adapter ? openAdapter(fromFile(described.adapter)) : undefined;
  const found = readServiceUrl(described.url ?? adapter?.url ?? '');
  const provider = adapter ? adapterId(adapter) : providerAt(found.url);
  const common = { ...found, name, provider, adapter };
  const { price, key, keyFile, budget } = described;
  if (provider === 'sample-data') {
    const free = price && { currency: price.currency, companyMicros: 0, peopleMicros: 0 };
    const noPrice = free && ({ ...free, charged: 'hits' } as const);
    return { ...common, isSample: true, key: { from: 'nowhere' }, price: noPrice };
  }
  const rate = slowerRate(described.rate, limit);
  return {
    ...common,
    isSample: false,
    key: keyFile
      ? { from: 'file', path: fromFile(keyFile) }
      : key
        ? { from: 'environment', name: key.slice(2, -1) }
        : { from: 'nowhere' },
    ...(rate !== undefined && { rate }),
    ...(budget && { budget: limitsOf(budget, path) }),
    ...(described.reuse && { reuse: reuse(described.reuse) }),
    price: price && {
      currency: price.currency,
      companyMicros: price.company,
      peopleMicros: price.people,
      charged: price.charged ?? adapter?.charged ?? 'answers',
    },
    share: share(described.share),
  };
}

function openAdapter(path: string) {
  const adapter = loadAdapter(path);
  requireOwn(path);
  return adapter;
}

export function slowerRate(one: Rate, other: Rate): Rate {
  if (one === undefined || one === 'none') return other ?? one;
  return typeof other === 'number' ? Math.min(one, other) : one;
}

type Rate = ResolvedService['rate'] | undefined;

function limitsOf(budget: NonNullable<DescribedService['budget']>, setIn: string) {
  const limits = Object.entries(budget).filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(limits.map(([period, limit]) => [period, { ...limit, setIn }]));
}
