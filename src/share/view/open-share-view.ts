import { Queue } from 'bullmq';
import { parseKey } from '../../client/wire/build-request.ts';
import { withTimeout } from '../../runtime/retry.ts';
import { queueName } from '../open-share.ts';
import { openRedis } from '../redis/open-redis.ts';
import { asLoss } from '../redis/redis-trouble.ts';
import { shareKeys } from '../redis/share-keys.ts';
import { readShareFacts, type ShareFacts } from './share-facts.ts';

export interface ShareToView {
  /** Address of Redis; a secret. */
  readonly address: URL;
  readonly service: string;
  readonly key: string;
}

/** Looks at what is shared without taking part. It has a connection of its own, so that no call waits for it. */
export interface ShareView extends AsyncDisposable {
  /** Throws a sentence where Redis does not tell. */
  read(): Promise<ShareFacts>;
}

/** Who looks at a Redis that has gone away is told so after this time. */
const patienceMs = 5_000;

/** Throws a sentence where Redis cannot be reached. */
export async function openShareView({ address, service, key }: ShareToView): Promise<ShareView> {
  const keys = shareKeys(service, parseKey(key));
  const redis = await openRedis({ address, name: 'dossier-status' });
  // Without the option BullMQ writes its version into Redis.
  const queue = new Queue(queueName, {
    ...{ connection: redis, prefix: keys.prefix, skipMetasUpdate: true },
  });
  queue.on('error', () => {});
  return {
    async read() {
      try {
        const patience = AbortSignal.timeout(patienceMs);
        return await withTimeout(readShareFacts({ redis, keys, queue }), patience);
      } catch (error) {
        throw asLoss(address, error, 'SHARE_DOWN');
      }
    },
    async [Symbol.asyncDispose]() {
      if (redis.status === 'ready') await queue.close().catch(() => {});
      redis.disconnect();
    },
  };
}
