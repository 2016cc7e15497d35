import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { OnEvent } from '../../client/client-event.ts';
import type { Client } from '../../client/open-client.ts';
import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import type { ClientFacts } from '../../run/run-job.ts';
import type { Log } from '../../runtime/log.ts';
import { packageVersion } from '../../runtime/package-path.ts';

/**
 * Finds out how to reach the service of a job. A missing key is told at once, before anything is
 * read; sockets are opened, and the embedded service is started, with the first call.
 */
export function prepareConnection(
  job: ResolvedJob,
  around: { log: Log; onEvent: OnEvent },
): (facts: ClientFacts) => Promise<Client> {
  const key = readKey(job.service.key, process.env)?.reveal();
  return async ({ isKnownToAnswer, openCalls }) => {
    const { onEvent } = around;
    if (job.service.url !== 'embedded') {
      const options = { ...job.limits, baseUrl: job.service.url, key: key ?? '', isKnownToAnswer };
      if (!isWorthAThread(job, openCalls)) {
        const { openClient } = await import('../../client/open-client.ts');
        return openClient({ ...options, onEvent });
      }
      const { openClientInThread } = await import('../../client/open-client-in-thread.ts');
      return openClientInThread({ ...options, onEvent });
    }
    const { openClient } = await import('../../client/open-client.ts');
    const embedded = await startEmbedded(around.log);
    const client = openClient({ ...job.limits, ...embedded, onEvent, isKnownToAnswer });
    return {
      send: client.send,
      stop: client.stop,
      async [Symbol.asyncDispose]() {
        await client[Symbol.asyncDispose]();
        await embedded.stop();
      },
    };
  };
}

/** A thread takes a moment to start, and pays where the machine and not the service is the limit. */
const leastCalls = 2_000;
const leastConcurrency = 32;
const leastRate = 500;

function isWorthAThread({ limits }: ResolvedJob, openCalls: number): boolean {
  const isFast = limits.rate === 'none' || limits.rate >= leastRate;
  const isWide = limits.concurrency >= leastConcurrency && availableParallelism() > 1;
  return isFast && isWide && openCalls >= leastCalls;
}

/** The bundled service over the sample data, in this process, on a free port of this machine. */
async function startEmbedded(log: Log) {
  const { openSampleStore } = await import('../../service/sample-store.ts');
  const { startService } = await import('../../service/start-service.ts');
  const store = await openSampleStore();
  const key = randomBytes(24).toString('base64url');
  const quiet = log.child({}, { level: 'warn' });
  const place = { host: '127.0.0.1', port: 0, version: packageVersion() };
  const service = await startService({ ...place, store, keys: [key], log: quiet });
  return {
    key,
    baseUrl: service.url,
    async stop() {
      await service.stop();
      store[Symbol.dispose]();
    },
  };
}
