import { randomBytes } from 'node:crypto';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import type { OnEvent } from '../../engine/client/client-event.ts';
import type { Client } from '../../engine/client/open-client.ts';
import { accountOf, openSharedRate } from '../../engine/ledger/file/shared-rate.ts';
import { providerOf, serviceIdentity } from '../../engine/providers/providers.ts';
import type { RedisListener } from '../../integrations/share/heartbeat.ts';
import { describeRedis } from '../../integrations/share/redis-errors.ts';
import { describeKey, readKey } from '../../job/read-address.ts';
import { type ResolvedJob, type ResolvedService, reuseAt } from '../../job/resolved-job.ts';
import type { Log } from '../../platform/log.ts';
import { requirePackages } from '../../platform/optional-packages.ts';
import { packageVersion } from '../../platform/package-path.ts';
import type { ClientFacts } from '../../run/run-parts.ts';

/** A missing key or package throws here, before the list is read. */
export function prepareConnection(job: ResolvedJob, log: Log, onEvent: OnEvent) {
  const open = job.services.map((service) => {
    const ofService: OnEvent = (event) => onEvent({ ...event, service: service.name });
    return prepareService(job, service, log, job.services.length > 1 ? ofService : onEvent);
  });
  return (facts: ClientFacts, serviceIndex: number): Promise<Client> => {
    const openService = open[serviceIndex];
    if (!openService) throw new Error(`the job has no service ${serviceIndex}`);
    return openService(facts);
  };
}

function prepareService(job: ResolvedJob, service: ResolvedService, log: Log, onEvent: OnEvent) {
  const { limits, ledger } = job;
  const { rate = limits.rate } = service;
  const reuse = reuseAt(service, job);
  const serviceKey = readKey(service.key, process.env);
  if (serviceKey?.warning) log.warn({ warning: serviceKey.warning }, 'key.unguarded');
  const key = serviceKey?.reveal() ?? '';
  const redis = redisOf(service);
  return async (facts: ClientFacts): Promise<Client> => {
    const [provider, charged] = [providerOf(service), chargedOf(service)];
    const keyPlace = ` (${describeKey(service.key)})`;
    const options = { ...limits, rate, provider, charged, keyPlace, ...facts, onEvent };
    const { openClient } = await import('../../engine/client/open-client.ts');
    if (service.isSample) {
      const { openSampleStore } = await import('../../service/load-files.ts');
      const { startService } = await import('../../service/build-service.ts');
      const store = await openSampleStore();
      const ownKey = randomBytes(24).toString('base64url');
      const embedded = await startService({
        host: '127.0.0.1',
        port: 0,
        version: packageVersion(),
        store,
        keys: [ownKey],
        log: log.child({}, { level: 'warn' }),
      });
      const client = openClient({ ...options, key: ownKey, baseUrl: embedded.url });
      return {
        ...client,
        async [Symbol.asyncDispose]() {
          await client[Symbol.asyncDispose]();
          await embedded.stop();
          store[Symbol.dispose]();
        },
      };
    }
    const onError = ({ message }: Error) => log.warn({ reason: message }, 'rate.unshared');
    const address = rateAddress(service, key);
    const sharedRate = openSharedRate(ledger, address, onError);
    if (redis) {
      const { openSharedClient } = await import('../../integrations/share/open-shared-client.ts');
      return await openSharedClient({
        ...options,
        baseUrl: service.url,
        key,
        sharedRate,
        redis,
        service: address.service,
        reuse,
        listener: logRedis(log, describeRedis(redis)),
      });
    }
    return openClient({ ...options, baseUrl: service.url, key, sharedRate });
  };
}

export function chargedOf({ price, adapter }: ResolvedService) {
  return price?.charged ?? adapter?.charged ?? 'answers';
}

/** Undefined if the job does not share its rate and answers. */
export function redisOf({ share }: ResolvedService): URL | undefined {
  const address = share?.reveal(process.env);
  if (address) requirePackages('service.share');
  return address;
}

export function rateAddress(service: ResolvedService, key = keyOf(service.key) ?? '') {
  return { service: serviceIdentity(service), key };
}

/** For each service. New requests count for its first. */
export function accountsFor({ services }: Pick<ResolvedJob, 'services'>) {
  return services.map(accountsOf);
}

/**
 * A budget counts all requests to an address, because a name or key may change. Version 0.9.0 counted
 * those of a key, some under another spelling.
 */
export function accountsOf(service: ResolvedService): string[] | undefined {
  const { url, formerUrl = url, provider, isSample } = service;
  if (isSample) return undefined;
  const key = keyOf(service.key);
  const older = key === undefined ? [] : [url, formerUrl];
  return [
    accountOf(serviceIdentity(service), ''),
    ...older.map((one) => accountOf(serviceIdentity({ provider, url: one }), key ?? '')),
  ];
}

/** Plans and cache hits need no key, so an unreadable key is not an error here. */
function keyOf(source: ResolvedService['key']) {
  try {
    return readKey(source, process.env)?.reveal() ?? '';
  } catch {
    return undefined;
  }
}

function logRedis(log: Log, redis: string): RedisListener {
  return {
    onLost: (since) => log.warn({ redis, since: since.toISOString() }, 'share.lost'),
    onBack: (since) => log.warn({ redis, awaySince: since.toISOString() }, 'share.back'),
    onError: (message) => log.warn({ redis, reason: withoutSecrets(message) }, 'share.trouble'),
  };
}
