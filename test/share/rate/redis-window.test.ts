import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { describe, expect } from 'vitest';
import { openRedisWindow } from '../../../src/share/rate/redis-window.ts';
import { shareKeys } from '../../../src/share/redis/share-keys.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const keys = shareKeys('http://127.0.0.1:9', 'key-of-the-window');

/** What a machine does with a place: its request leaves after a while, or it never does. */
const use = fc.record({
  beforeMs: fc.nat({ max: 15 }),
  heldMs: fc.nat({ max: 10 }),
  does: fc.constantFrom('start', 'start', 'start', 'release' as const),
});
const machines = fc.array(fc.array(use, { minLength: 1, maxLength: 5 }), {
  minLength: 2,
  maxLength: 4,
});
/** A rate that was lowered is not whole, nor is its window. */
const window = fc.record({
  capacity: fc.integer({ min: 1, max: 4 }),
  windowMs: fc.double({ min: 25, max: 60, noNaN: true }),
});
/** Redis is restarted without its data after so long; undefined for never. */
const lostAfterMs = fc.option(fc.nat({ max: 120 }), { nil: undefined });

/** Times go by two clocks that drop fractions of a millisecond. */
const roundedMs = 2;

describe('the window of all machines', () => {
  testWithRedis(
    'lets no more leave than its capacity in any of its length, also where Redis loses all',
    async () => {
      await using server = await startRedis();
      const admin = new Redis(server.url);
      const connections = [0, 1, 2, 3].map(() => new Redis(server.url));
      await fc.assert(
        fc.asyncProperty(machines, window, lostAfterMs, async (plans, perWindow, lostMs) => {
          await admin.flushall();
          let serverName = 'first';
          const left: number[] = [];
          const losing =
            lostMs !== undefined &&
            delay(lostMs).then(async () => {
              // Whoever asks from now on is connected to a Redis of another name.
              serverName = 'second';
              await admin.flushall();
            });
          const working = plans.map(async (plan, index) => {
            const redis = connections[index] as Redis;
            const places = openRedisWindow(redis, keys, async () => serverName);
            for (const { beforeMs, heldMs, does } of plan) {
              await delay(beforeMs);
              for (;;) {
                const answer = await places.take(0, perWindow);
                if (answer.kind === 'taken') {
                  await delay(heldMs);
                  if (does === 'start') left.push(performance.now());
                  places[does](answer.place, 0);
                  break;
                }
                expect(answer.kind).toBe('wait');
                await delay(answer.kind === 'wait' ? answer.waitMs : 0);
              }
            }
          });
          await Promise.all([losing, ...working]);
          left.sort((one, other) => one - other);
          const { capacity, windowMs } = perWindow;
          const tooClose = left.filter(
            (at, index) =>
              (left[index + capacity] ?? Number.POSITIVE_INFINITY) - at < windowMs - roundedMs,
          );
          expect(tooClose).toEqual([]);
        }),
        { numRuns: 12 },
      );
      for (const redis of [admin, ...connections]) redis.disconnect();
    },
  );

  testWithRedis('lets nothing leave while a throttle has closed it, for whoever asks', async () => {
    await using server = await startRedis();
    const connections = [new Redis(server.url), new Redis(server.url)] as const;
    const [one, other] = connections.map((redis) => openRedisWindow(redis, keys, async () => 'it'));
    await one?.take(0, undefined);
    await one?.close(60_000);
    await one?.close(10);
    for (const perWindow of [undefined, { capacity: 100, windowMs: 1_012 }]) {
      const answer = await other?.take(0, perWindow);
      expect(answer).toMatchObject({ kind: 'wait' });
      expect(answer?.kind === 'wait' && answer.waitMs).toBeGreaterThan(50_000);
    }
    // A word of the service that is wrong does not keep later runs out for days.
    await one?.close(7 * 24 * 3_600_000);
    const longest = await other?.take(0, undefined);
    expect(longest?.kind === 'wait' && longest.waitMs).toBeLessThanOrEqual(3_600_000);
    for (const redis of connections) redis.disconnect();
  });

  testWithRedis('goes on after a moment where the clock of Redis is set back', async () => {
    await using server = await startRedis();
    const redis = new Redis(server.url);
    const places = openRedisWindow(redis, keys, async () => 'it');
    const perWindow = { capacity: 1, windowMs: 50 };
    const take = async () => (await places.take(0, perWindow)).kind;
    await expect.poll(take).toBe('taken');
    // An hour back for the clock is an hour ahead for all that was written.
    const [member = ''] = await redis.zrange(keys.window, 0, -1);
    await redis.zincrby(keys.window, 3_600_000, member);
    await redis.hincrby(keys.rate, 'quietUntil', 3_600_000);
    expect(await take()).toBe('wait');
    await expect.poll(take).toBe('taken');
    redis.disconnect();
  });
});
