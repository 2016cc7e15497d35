import { randomBytes } from 'node:crypto';
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
  return async ({ isKnownToAnswer }) => {
    const { openClient } = await import('../../client/open-client.ts');
    const { onEvent } = around;
    if (job.service.url !== 'embedded') {
      const baseUrl = job.service.url;
      return openClient({ ...job.limits, baseUrl, key: key ?? '', onEvent, isKnownToAnswer });
    }
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
