import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import { startRedis, testWithRedis } from '../../support/redis.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectSharedOnce, openSharedWorld } from '../support/share/shared-world.ts';
import { expectRateToHold, watchLoop } from '../support/sliding-second.ts';
import { expectToEnd, expectToStop } from '../support/trouble.ts';

const where = testWithRedis;

describe('the Redis of machines that share a key', () => {
  for (const data of ['kept', 'lost'] as const) {
    faultCase(
      `is killed at seeded instants, and its data is ${data}`,
      async (seed) => {
        await using redis = await startRedis();
        const rate = 30 + seed.random(20);
        await using world = await openSharedWorld(redis.url, { job: { limits: { rate } } });
        using watch = watchLoop();
        const runs = await world.enterAll(redis.url);
        const kills = 2;
        for (let kill = 0; kill < kills; kill += 1) {
          // The first may come as soon as all have entered.
          await runs.untilAskedMore(kill + seed.random(15));
          await delay(seed.random(40));
          await redis.kill();
          await delay(seed.random(300));
          await redis.restart(data);
        }
        for (const ended of await runs.ended) expectToEnd(ended);
        expectRateToHold(world.asked(), rate, watch);
        // Calls in flight at the kill, whose answers were brought to the run that had asked.
        await expectSharedOnce(world, { kills });
      },
      { short: data === 'lost' ? 1 : 0, long: 20, where },
    );
  }

  faultCase(
    'says nothing for a while, with its connections open',
    async (seed) => {
      await using redis = await startRedis();
      const rate = 30 + seed.random(20);
      await using world = await openSharedWorld(redis.url, { job: { limits: { rate } } });
      using watch = watchLoop();
      const runs = await world.enterAll(redis.url);
      await runs.untilAskedMore(seed.random(30));
      redis.process.kill('SIGSTOP');
      // Longer than a run waits for a sign of a job, which cannot be added.
      await delay(4_000 + seed.random(2_500));
      redis.process.kill('SIGCONT');
      for (const ended of await runs.ended) expectToEnd(ended);
      expectRateToHold(world.asked(), rate, watch);
      await expectSharedOnce(world, { kills: 1 });
    },
    { short: 0, long: 10, where },
  );

  faultCase(
    'has no memory left for a while',
    async (seed) => {
      await using redis = await startRedis({ config: { 'maxmemory-policy': 'noeviction' } });
      await using world = await openSharedWorld(redis.url);
      const admin = new Redis(redis.url);
      const runs = await world.enterAll(redis.url);
      try {
        await runs.untilAskedMore(1 + seed.random(30));
        await admin.config('SET', 'maxmemory', '1');
        // Longer than a run waits for a sign of a job, which cannot be added.
        await delay(4_000 + seed.random(2_500));
        const asked = world.asked().length;
        await delay(500);
        // What could not be put into Redis is not asked.
        expect(world.asked()).toHaveLength(asked);
        await admin.config('SET', 'maxmemory', '0');
      } finally {
        admin.disconnect();
      }
      for (const ended of await runs.ended) expectToEnd(ended);
      // The answers to calls in flight could not be stored there.
      await expectSharedOnce(world, { kills: 1 });
    },
    { short: 0, long: 10, where },
  );

  faultCase(
    'is away for longer than the job waits, and the same command goes on',
    async (seed) => {
      await using redis = await startRedis();
      await using world = await openSharedWorld(redis.url, { job: { limits: { maxWait: '2s' } } });
      const runs = await world.enterAll(redis.url);
      await runs.untilAskedMore(1 + seed.random(30));
      await redis.kill();
      for (const ended of await runs.ended)
        expectToStop(ended, 'SHARE_DOWN', 'the job waits 2s at most');
      for (const ended of await world.runAll()) {
        expectToStop(ended, 'SHARE_DOWN', 'connection refused');
      }
      await redis.restart('kept');
      for (const ended of await world.runAll()) expectToEnd(ended);
      await expectSharedOnce(world, { kills: 1 });
    },
    { short: 0, long: 10, where },
  );
});
