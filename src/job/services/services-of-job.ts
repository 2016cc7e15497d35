import { DossierError } from '../../core/errors.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { fallbackUrlVariable } from '../../core/values/variables.ts';
import { providerAt, sampleData } from '../../engine/providers/providers.ts';
import { isServiceUrl, readServiceUrl } from '../../engine/providers/service-url.ts';
import type { ReadFlags } from '../job-flags.ts';
import type { Job } from '../job-schema.ts';
import type { LoadedJob } from '../load-job.ts';
import { type Environment, keyVariable, redisAddress, secretAddress } from '../read-address.ts';
import { inlineName, type JobService, type ResolvedService } from '../resolved-job.ts';
import { Service, shareVariable } from '../schema/service-fields.ts';
import { defaultService, resolveServices } from './resolve-services.ts';

interface Places {
  readonly env: Environment;
  readonly jobFolder: string;
  fromCwd(path: string | undefined): string | undefined;
  fromJob(path: string | undefined): string | undefined;
  reuse(written: Job['reuse']): ReuseTerms;
}

/** The services that a job names, or the one that it describes itself. */
export function servicesOfJob(
  loaded: LoadedJob,
  flags: ReadFlags,
  places: Places,
): Pick<JobService, 'services' | 'servicesFile'> {
  const { job, positionOf } = loaded;
  const { env, jobFolder, reuse } = places;
  const described = namedServices(loaded, flags, {
    jobFolder,
    env,
    rate: flags.rate ?? (positionOf(['limits', 'rate']) ? job.limits.rate : undefined),
    reuse,
    share: (written) => sharedAddress(written, flags.share, env),
    positionOf: (index) => positionOf(['service', index]) ?? positionOf(['service']),
  });
  const [first, ...others] = described?.services ?? [ownService(loaded, flags, places)];
  if (!first) throw new Error(`the job ${job.name} has no service`);
  return { services: [first, ...others], servicesFile: described?.path };
}

/** Undefined if the job has a service of its own, or uses the sample data. */
function namedServices(
  { job: { service }, positionOf }: LoadedJob,
  flags: Pick<ReadFlags, 'url' | 'keyFile'>,
  options: Parameters<typeof resolveServices>[1],
) {
  if (flags.url === sampleData) return undefined;
  const flag = flags.url !== undefined ? 'url' : flags.keyFile !== undefined ? 'key-file' : '';
  if (hasOwnService(service)) {
    const isUnnamed = flag === '' && positionOf(['service']) === undefined;
    const found = isUnnamed && defaultService(options.jobFolder, options.env);
    return found ? resolveServices([found], options) : undefined;
  }
  if (flag === '') return resolveServices([service].flat(), options);
  const names = [service].flat().join(', ');
  throw new DossierError(
    'USAGE',
    `--${flag} is for the service of a job, but this one names ${names}; change services.yaml instead`,
  );
}

function hasOwnService(
  service: Job['service'],
): service is Extract<Job['service'], { key?: unknown }> {
  return typeof service === 'object' && !Array.isArray(service);
}

function ownService(
  { job, urlProblem, positionOf }: LoadedJob,
  flags: Pick<ReadFlags, 'url' | 'share' | 'keyFile'>,
  { fromCwd, fromJob, env }: Places,
): ResolvedService {
  const service = hasOwnService(job.service) ? job.service : Service.parse({});
  const keyFile =
    fromCwd(flags.keyFile) ?? (env[keyVariable] ? undefined : fromJob(service.keyFile));
  const found = serviceUrl(
    [flags.url, env.DOSSIER_URL, urlProblem ? '' : service.url, env[fallbackUrlVariable]],
    urlProblem && `${positionOf(['service', 'url'])}: service.url: ${urlProblem}`,
  );
  const share = sharedAddress(service.share, flags.share, env);
  const provider = providerAt(found.url, service.adapter);
  const named = { ...found, name: inlineName, provider };
  if (provider === 'sample-data') return { ...named, isSample: true, key: { from: 'nowhere' } };
  const name = env[keyVariable] ? keyVariable : (service.key?.slice(2, -1) ?? keyVariable);
  const { price } = service;
  return {
    ...named,
    isSample: false,
    key: keyFile ? { from: 'file', path: keyFile } : { from: 'environment', name },
    price: price && {
      currency: price.currency,
      companyMicros: price.company,
      peopleMicros: price.people,
      charged: price.charged,
    },
    share,
  };
}

function serviceUrl(offered: (string | undefined)[], missing = 'no service is named') {
  const url = offered.find(Boolean);
  if (url === undefined) throw new DossierError('SERVICE_MISSING', missing);
  if (!isServiceUrl(url)) {
    throw new DossierError(
      'SERVICE_MISSING',
      'DOSSIER_URL must be an http(s) URL without user name, password, ? or #',
    );
  }
  return readServiceUrl(url);
}

function sharedAddress(inJob: string | undefined, flag: string | undefined, env: Environment) {
  // The shell has expanded variables, so any dollar sign belongs to the password.
  if (flag !== undefined) {
    const address = secretAddress(flag.replaceAll('$', '$$$$'), '--share', redisAddress);
    // Registers the password for redaction, because `plan` prints command lines.
    address.reveal({});
    return address;
  }
  // An empty variable turns sharing off.
  if (env[shareVariable] !== undefined) {
    return secretAddress(`\${${shareVariable}:-}`, shareVariable, redisAddress);
  }
  return inJob === undefined ? undefined : secretAddress(inJob, 'service.share', redisAddress);
}
