import { randomBytes } from 'node:crypto';
import type { OnEvent } from '../client/client-event.ts';
import type { Client, ClientOptions } from '../client/open-client.ts';
import { readKey } from '../job/read-key.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { accountOf, openSharedRate } from '../ledger/file/shared-rate.ts';
import { affordableAttempts } from '../run/calls/charges.ts';
import type { ClientFacts } from '../run/run-parts.ts';
import { filesLeft } from '../runtime/files/disk.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import type { Log } from '../runtime/log/log.ts';
import { packageVersion } from '../runtime/package-path.ts';
import { sampleData } from '../runtime/sample-data.ts';
import type { RedisListener } from '../share/heartbeat.ts';
import { placeOf } from '../share/redis/redis-trouble.ts';
import { unsharedText } from './terminal/text.ts';

/** Opens the client of a job. Sockets and the embedded service are opened here and not before. */
export type Connect = (facts: ClientFacts) => Promise<Client>;

interface ConnectionParts {
  readonly log: Log;
  readonly onEvent: OnEvent;
}

/** Prepares the connection to a job's service. A missing key throws here, before the list is read. */
export function prepareConnection(job: ResolvedJob, { log, onEvent }: ConnectionParts): Connect {
  const { limits, budget, service, ledger } = job;
  const serviceKey = readKey(service.key, process.env);
  if (serviceKey?.warning) log.warn({ warning: serviceKey.warning }, 'key.unguarded');
  const key = serviceKey?.reveal() ?? '';
  return async (facts) => {
    const isEmbedded = service.url === sampleData;
    // Both ends of a connection to the embedded service are in this process.
    const mostCalls = Math.floor(filesLeft() / (isEmbedded ? 2 : 1));
    const concurrency = Math.max(1, Math.min(limits.concurrency, mostCalls));
    const attempts = affordableAttempts(limits.attempts, budget);
    const charged = service.price?.charged ?? 'answers';
    const options = { ...limits, concurrency, attempts, charged, ...facts, onEvent };
    if (isEmbedded) return openEmbedded(log, options);
    // The same service may stand in another job with a slash at its end.
    const address = { service: service.url.replace(/\/+$/, ''), key };
    const onTrouble = ({ message }: Error) => log.warn({ reason: message }, 'rate.unshared');
    const sharedRate = openSharedRate(ledger, address, onTrouble);
    const redis = service.share?.address.reveal(process.env);
    if (service.share && redis) {
      const { openSharedClient } = await import('../share/open-shared-client.ts');
      const { placeOf } = await import('../share/redis/redis-trouble.ts');
      return await openSharedClient({
        ...options,
        baseUrl: service.url,
        key,
        sharedRate,
        share: { ...service.share, address: redis },
        reuse: job.reuse,
        listener: logRedis(log, placeOf(redis)),
      });
    }
    const { openClient } = await import('../client/open-client.ts');
    return openClient({ ...options, baseUrl: service.url, key, sharedRate });
  };
}

/** The account that a job is charged to; undefined for sample data, and where there is no key yet. */
export function accountFor({ service }: Pick<ResolvedJob, 'service'>): string | undefined {
  if (service.url === sampleData) return undefined;
  try {
    return accountOf(service.url, readKey(service.key, process.env)?.reveal() ?? '');
  } catch {
    // A lookup that the ledger answers needs no key; one that asks is refused when it connects.
    return undefined;
  }
}

async function openEmbedded(
  log: Log,
  options: Omit<ClientOptions, 'baseUrl' | 'key'>,
): Promise<Client> {
  const { openClient } = await import('../client/open-client.ts');
  const embedded = await startEmbedded(log);
  const client = openClient({ ...options, ...embedded });
  return {
    send: client.send,
    judge: client.judge,
    release: client.release,
    stop: client.stop,
    onWire: client.onWire,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await embedded.stop();
    },
  };
}

/** Starts the bundled service with the sample data, in this process and on a free port. */
async function startEmbedded(log: Log) {
  const { openSampleStore } = await import('../service/load-files.ts');
  const { startService } = await import('../service/build-service.ts');
  const store = await openSampleStore();
  const key = randomBytes(24).toString('base64url');
  const quiet = log.child({}, { level: 'warn' });
  const address = { host: '127.0.0.1', port: 0, version: packageVersion() };
  const service = await startService({ ...address, store, keys: [key], log: quiet });
  return {
    key,
    baseUrl: service.url,
    async stop() {
      await service.stop();
      store[Symbol.dispose]();
    },
  };
}

/** Logs how the Redis is that machines share; `redis` is where, without what is secret. */
function logRedis(log: Log, redis: string): RedisListener {
  return {
    onLost: (since) => log.warn({ redis, since: since.toISOString() }, 'share.lost'),
    onBack: (since) => log.warn({ redis, awaySince: since.toISOString() }, 'share.back'),
    onTrouble: (message) => log.warn({ redis, reason: withoutSecrets(message) }, 'share.trouble'),
  };
}

/** Says where a run shares its rate and answers, or that sample data shares nothing; else nothing. */
export function sharingText(service: ResolvedJob['service']): string[] {
  const address = addressOf(service);
  return [
    ...unsharedText(service),
    ...(address ? [`Rate and answers are shared through ${placeOf(address)}.`] : []),
  ];
}

/** An address that cannot be used is told when the first call needs it. */
function addressOf({ share }: ResolvedJob['service']): URL | undefined {
  try {
    return share?.address.reveal(process.env);
  } catch {
    return undefined;
  }
}
