import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { inTime } from '../../../src/share/redis/in-time.ts';
import { openRedis } from '../../../src/share/redis/open-redis.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

testWithRedis('a password that changes while a share is opened is told at once', async () => {
  await using server = await startRedis();
  const admin = new Redis(server.url);
  await admin.call('ACL', ['SETUSER', 'dossier', 'on', '>old', '~*', '&*', '+@all']);
  const address = new URL(server.url.replace('//', '//dossier:old@'));
  const redis = await openRedis({ address, name: 'dossier-run' });
  const opening = inTime(redis, address, new Promise(() => {}));
  await admin.call('ACL', ['SETUSER', 'dossier', 'resetpass', '>new']);
  await admin.call('CLIENT', ['KILL', 'USER', 'dossier']);
  await expect(opening).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
  await expect.poll(() => redis.status).toBe('end');
  admin.disconnect();
});
