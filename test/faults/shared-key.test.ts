import { describe, expect } from 'vitest';
import { testWithRedis } from '../support/redis.ts';
import { expectToEnd } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { oneRedis } from './support/share/one-redis.ts';
import { callsIn, expectSharedOnce, openSharedWorld } from './support/share/shared-world.ts';
import { expectRateToHold, watchLoop } from './support/sliding-second.ts';

const redis = oneRedis();

describe('machines that share a key', () => {
  faultCase(
    'ask no question twice, keep one rate, and each row ends as on a machine of its own',
    async (seed) => {
      const rate = 40 + seed.random(20);
      await using world = await openSharedWorld(redis.url, {
        machines: 3,
        job: { limits: { rate } },
      });
      using watch = watchLoop();
      const ends = await Promise.all(world.machines.map((machine) => machine.run()));
      for (const ended of ends) expectToEnd(ended);
      await expectSharedOnce(world);
      expectRateToHold(world.asked(), rate, watch);
      const calls = world.machines.map(({ ledger }) => callsIn(ledger));
      expect(calls.reduce((sum, { called }) => sum + called, 0)).toBe(world.asked().length);
      expect(calls.reduce((sum, { reused }) => sum + reused, 0)).toBeGreaterThan(0);
    },
    { rounds: { short: 1, long: 10 }, where: testWithRedis },
  );
});
