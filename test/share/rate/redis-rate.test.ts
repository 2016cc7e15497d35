import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { openSharedPlaces } from '../../../src/client/rate/shared-places.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { openRedisRate } from '../../../src/share/rate/redis-rate.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

/** Machines that share what they know of a rate, by a clock that the test sets. */
function openMachines(redis: Redis, key: string) {
  let nowMs = 1_000_000;
  const open = (ceiling: number) => {
    const rate = openRedisRate(redis, key, () => nowMs);
    const places = openSharedPlaces({
      ...{ shared: rate, ceiling, clock: systemClock, maxWaitMs: 1_000 },
      ...{ startedFreely: () => 0, onAllowed: () => {} },
    });
    const hear = async () => {
      const [version, memory] = await redis.hmget(key, 'version', 'memory');
      rate.see(Number(version ?? 0), memory ?? '');
      places.take(0);
      return places.allowed();
    };
    return { ...places, hear };
  };
  return { open, pass: (ms: number) => (nowMs += ms) };
}

testWithRedis('a throttle that all machines meet lowers their rate once', async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url);
  const { open, pass } = openMachines(redis, 'rate');
  const machines = [open(100), open(100), open(Number.POSITIVE_INFINITY)];
  const control = openMachines(redis, 'rate-of-one');
  const alone = control.open(100);
  const hear = async () => {
    for (const { hear: heard } of [...machines, alone]) await heard();
    return [...machines, alone].map(({ allowed }) => allowed().perSecond);
  };
  await expect.poll(hear).toEqual([100, 100, 100, 100]);
  for (const machine of [...machines, alone]) machine.noteThrottled(10);
  const lowered = alone.allowed().perSecond;
  expect(lowered).toBeLessThan(100);
  await expect.poll(hear).toEqual([lowered, lowered, lowered, lowered]);

  // It comes back no sooner for being watched by three.
  for (let step = 0; step < 40; step += 1) {
    pass(500);
    control.pass(500);
    await hear();
  }
  const recovered = alone.allowed().perSecond;
  expect(recovered).toBeGreaterThan(lowered);
  await expect.poll(hear).toEqual([recovered, recovered, recovered, recovered]);
  redis.disconnect();
});

testWithRedis('a rate that Redis has lost is told to it again by whoever knows it', async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url);
  const { open } = openMachines(redis, 'rate');
  const [run, worker] = [open(100), open(Number.POSITIVE_INFINITY)];
  run.noteThrottled(10);
  await run.hear();
  const { perSecond } = run.allowed();
  expect(perSecond).toBeLessThan(100);
  const heard = async () => (await worker.hear()).perSecond;
  await expect.poll(heard).toBe(perSecond);
  await redis.flushall();
  // The worker has no rate of its own, and is not free though the run is silent.
  expect(await heard()).toBe(perSecond);
  await expect.poll(() => redis.hget('rate', 'memory')).toContain('refusedRate');
  const late = open(Number.POSITIVE_INFINITY);
  expect((await late.hear()).perSecond).toBe(perSecond);
  redis.disconnect();
});
