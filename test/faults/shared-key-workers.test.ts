import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { testWithRedis } from '../support/redis.ts';
import { expectToEnd } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { oneRedis } from './support/share/one-redis.ts';
import {
  expectSharedOnce,
  openSharedWorld,
  patient,
  type SharedWorld,
} from './support/share/shared-world.ts';
import { expectRateToHold, watchLoop } from './support/sliding-second.ts';
import type { Running } from './support/world.ts';

const redis = oneRedis();
const where = testWithRedis;
const asWorker = { command: ['worker', 'job.yaml', '--no-port', '--concurrency', '3'] };

/** A worker on each machine that is there, and runs that leave all calls to them. */
async function startApart({ machines, untilEntered }: SharedWorld) {
  const [first, second] = machines;
  const workers = [first.start(asWorker), second.start(asWorker)] as const;
  await untilEntered(redis.url, workers.length);
  const runs = machines.map((machine) => machine.run({ args: ['--no-worker'] }));
  return { workers, runs };
}

async function endOf({ process: child, ended }: Running, signal: NodeJS.Signals) {
  child.kill(signal);
  return (await ended).by;
}

describe('of workers that make the calls of all runs', () => {
  for (const [happens, signal] of [
    ['killed', 'SIGKILL'],
    ['stopped for longer than others wait for it', 'SIGSTOP'],
  ] as const) {
    faultCase(
      `one is ${happens}, and another asks what it had taken`,
      async (seed) => {
        const rate = 40 + seed.random(20);
        await using world = await openSharedWorld(redis.url, { job: { limits: { rate } } });
        using watch = watchLoop();
        const { workers, runs } = await startApart(world);
        const [victim, other] = workers;
        await world.untilAsked(1 + seed.random(40));
        await delay(seed.random(20));
        victim.process.kill(signal);
        for (const ended of await Promise.all(runs)) expectToEnd(ended);
        victim.process.kill('SIGCONT');
        expect([0, 'SIGKILL']).toContain(await endOf(victim, 'SIGTERM'));
        expect(await endOf(other, 'SIGTERM')).toBe(0);
        await expectSharedOnce(world, { kills: 1 });
        expectRateToHold(world.asked(), rate, watch);
      },
      { rounds: { short: 1, long: 10 }, where },
    );
  }

  faultCase(
    'one is told to end, and gives back what it has not asked',
    async (seed) => {
      await using world = await openSharedWorld(redis.url, {
        ...patient,
        job: { limits: { rate: 50 } },
      });
      const { workers, runs } = await startApart(world);
      const [leaving, other] = workers;
      await world.untilAsked(1 + seed.random(40));
      await delay(seed.random(20));
      expect(await endOf(leaving, 'SIGTERM')).toBe(0);
      for (const ended of await Promise.all(runs)) expectToEnd(ended);
      expect(await endOf(other, 'SIGTERM')).toBe(0);
      // Nothing is asked twice, and each request is paid for by the run that wanted it.
      await expectSharedOnce(world);
    },
    { rounds: { short: 1, long: 10 }, where },
  );
});
