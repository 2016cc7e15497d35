import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { openTestShare } from './support/open-test-share.ts';

testWithRedis(
  'a Redis that has lost its data is told again of a throttle that goes on',
  async () => {
    await using server = await startRedis();
    await using throttled = await openTestShare(server.url);
    await throttled.pulse();
    throttled.permits.noteThrottled(10, 60_000);
    await expect.poll(async () => (await throttled.pulse()).closedMs).toBeGreaterThan(50_000);
    const admin = new Redis(server.url);
    await admin.flushall();
    admin.disconnect();
    await throttled.pulse();
    await using later = await openTestShare(server.url);
    expect((await later.pulse()).closedMs).toBeGreaterThan(50_000);
    await expect(later.permits.take(AbortSignal.timeout(100))).rejects.toThrow('timeout');
  },
);
