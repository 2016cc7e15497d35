import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { RedisListener } from '../../share/heartbeat.ts';

/** Logs how the Redis is that machines share; `redis` is where, without what is secret. */
export function logRedis(log: Log, redis: string): RedisListener {
  return {
    onLost: (since) => log.warn({ redis, since: since.toISOString() }, 'share.lost'),
    onBack: (since) => log.warn({ redis, awaySince: since.toISOString() }, 'share.back'),
    onTrouble: (message) => log.warn({ redis, reason: withoutSecrets(message) }, 'share.trouble'),
  };
}
