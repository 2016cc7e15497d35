import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { testWithRedis } from '../../support/redis.ts';
import { faultCase } from '../support/fault-case.ts';
import { oneRedis } from '../support/share/one-redis.ts';
import { expectSharedOnce, openSharedWorld } from '../support/share/shared-world.ts';
import { expectRateToHold, watchLoop } from '../support/sliding-second.ts';
import { expectToEnd } from '../support/trouble.ts';

const redis = oneRedis();
const where = testWithRedis;

describe('of machines that share a key', () => {
  faultCase(
    'one is killed at seeded instants, and its command goes on',
    async (seed) => {
      const rate = 40 + seed.random(20);
      await using world = await openSharedWorld(redis.url, { job: { limits: { rate } } });
      using watch = watchLoop();
      const [victim, other] = world.machines;
      const otherEnd = other.run();
      const kills = 1 + seed.random(2);
      for (let kill = 0; kill < kills; kill += 1) {
        const { process: child, ended } = victim.start();
        const asked = world.asked().length;
        void world
          .untilAsked(asked + 1 + seed.random(20))
          .then(() => delay(seed.random(40)))
          .then(() => child.kill('SIGKILL'));
        await ended;
      }
      expectToEnd(await victim.run());
      expectToEnd(await otherEnd);
      await expectSharedOnce(world, { kills });
      expectRateToHold(world.asked(), rate, watch);
    },
    { long: 20, where },
  );

  faultCase(
    'one is killed while another awaits its calls, which asks them itself',
    async (seed) => {
      let isSilent = true;
      await using world = await openSharedWorld(redis.url, { shiftedBy: 0 }, () =>
        isSilent ? { neverAnswer: true } : undefined,
      );
      const [victim, other] = world.machines;
      const { process: child, ended } = victim.start();
      const { concurrency } = victim.shape;
      await world.untilAsked(concurrency);
      const otherEnd = other.run();
      // The other has no call to make but those that are in flight.
      await delay(1_500 + seed.random(500));
      expect(world.asked()).toHaveLength(concurrency);
      child.kill('SIGKILL');
      await ended;
      isSilent = false;
      expectToEnd(await otherEnd);
      const asked = world.asked().length;
      expectToEnd(await victim.run());
      // What the other was answered is taken, and none is asked again.
      expect(world.asked()).toHaveLength(asked);
      await expectSharedOnce(world, { kills: 1 });
    },
    { short: 0, long: 5, where },
  );

  faultCase(
    'one is stopped for longer than others wait for it, and then goes on',
    async (seed) => {
      const rate = 40 + seed.random(20);
      await using world = await openSharedWorld(redis.url, { job: { limits: { rate } } });
      using watch = watchLoop();
      const [victim, other] = world.machines;
      const stopped = victim.start();
      const otherEnd = other.run();
      await world.untilAsked(1 + seed.random(40));
      await delay(seed.random(20));
      stopped.process.kill('SIGSTOP');
      const stoppedAtMs = performance.now();
      expectToEnd(await otherEnd);
      // The other may have needed nothing of it, and then its lock is still there.
      if (seed.random(2) === 1) await delay(stoppedAtMs + 5_000 - performance.now());
      stopped.process.kill('SIGCONT');
      expectToEnd(await stopped.ended);
      await expectSharedOnce(world, { kills: 1 });
      expectRateToHold(world.asked(), rate, watch);
    },
    { short: 0, long: 20, where },
  );

  faultCase(
    'one is interrupted, which takes back what has not left and waits for what has',
    async (seed) => {
      const rate = 20 + seed.random(20);
      await using world = await openSharedWorld(redis.url, {
        rows: 15,
        shiftedBy: 5,
        job: { limits: { rate } },
      });
      using watch = watchLoop();
      const [interrupted, other] = world.machines;
      const otherEnd = other.run();
      const { process: child, ended } = interrupted.start();
      await world.untilAsked(3 + seed.random(20));
      await delay(seed.random(60));
      child.kill('SIGINT');
      // It may have had nothing left to ask.
      expect([0, 130, 'SIGINT']).toContain((await ended).by);
      expectToEnd(await otherEnd);
      expectToEnd(await interrupted.run());
      // Nothing is asked twice, and each run has paid for what it has asked, and for nothing else.
      await expectSharedOnce(world);
      expectRateToHold(world.asked(), rate, watch);
    },
    { short: 0, long: 20, where },
  );
});
