import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { testWithRedis } from '../support/redis.ts';
import { faultCase } from './support/fault-case.ts';
import { oneRedis } from './support/share/one-redis.ts';
import { expectSharedOnce, openSharedWorld, patient } from './support/share/shared-world.ts';
import { expectRateToHold, watchLoop } from './support/sliding-second.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';

const redis = oneRedis();
const where = testWithRedis;

/** Answers after which every run of the key stops, and what it stops with. */
const stops: Readonly<
  Record<string, { readonly status: number; readonly code: ErrorCode; readonly before: number }>
> = {
  'refuses the key': { status: 401, code: 'KEY_REFUSED', before: 10 },
  'has no quota left': { status: 402, code: 'QUOTA_SPENT', before: 10 },
  // After answers, half of a hundred attempts would have to fail before a run stops.
  'is down': { status: 503, code: 'SERVICE_DOWN', before: 0 },
};

describe('a service that machines ask with one key', () => {
  faultCase(
    'throttles one of them, and all wait',
    async (seed) => {
      const throttled = 5 + seed.random(30);
      let closed: { readonly fromMs: number; readonly toMs: number } | undefined;
      await using world = await openSharedWorld(redis.url, patient, async ({ atMs }, index) => {
        await delay(20);
        if (index !== throttled) return undefined;
        // What was on the wire at the time of the answer may still arrive.
        closed = { fromMs: performance.now() + 1_000, toMs: atMs + 2_000 };
        return { status: 429, headers: { 'retry-after': '2' }, body: '{}' };
      });
      const ends = await Promise.all(world.machines.map((machine) => machine.run()));
      for (const ended of ends) expectToEnd(ended);
      await expectSharedOnce(world);
      const { fromMs = 0, toMs = 0 } = closed ?? {};
      expect(toMs).toBeGreaterThan(0);
      const within = world.asked().filter(({ atMs }) => atMs > fromMs && atMs < toMs);
      expect(within).toEqual([]);
    },
    { short: 0, long: 10, where },
  );

  faultCase(
    'fails and redirects some calls, and each request takes a permit',
    async (seed) => {
      const rate = 20 + seed.random(20);
      const troubled = new Set<string>();
      await using world = await openSharedWorld(
        redis.url,
        { ...patient, people: undefined, job: { limits: { rate } } },
        ({ method, path }) => {
          if (method !== 'GET' || path.includes('again') || troubled.has(path)) return undefined;
          troubled.add(path);
          switch (seed.random(3)) {
            case 0:
              return { status: 503, body: '{}' };
            case 1:
              return { status: 307, headers: { location: `${path}&again=1` } };
            default:
              return undefined;
          }
        },
      );
      using watch = watchLoop();
      const ends = await Promise.all(world.machines.map((machine) => machine.run()));
      for (const ended of ends) expectToEnd(ended);
      const failed = world.asked().filter(({ isTroubled }) => isTroubled).length;
      expect(failed).toBeGreaterThan(0);
      expectRateToHold(world.asked(), rate, watch);
    },
    { short: 0, long: 10, where },
  );

  for (const [does, { status, code, before }] of Object.entries(stops)) {
    faultCase(
      `${does}, which stops all of them, and the same commands go on`,
      async (seed) => {
        let isTroubled = before === 0;
        await using world = await openSharedWorld(
          redis.url,
          // Lists that do not overlap: each machine meets the trouble by itself, or is told of it.
          { ...patient, shiftedBy: 20, rows: 20, job: { limits: { rate: 100, attempts: 2 } } },
          async () => {
            await delay(20);
            return isTroubled ? { status, body: '{}' } : undefined;
          },
        );
        const starts = world.machines.map((machine) => machine.run());
        // A service that is down from the start stops the runs after few requests.
        if (before > 0) await world.untilAsked(before + seed.random(20));
        isTroubled = true;
        for (const ended of await Promise.all(starts)) expectToStop(ended, code);
        isTroubled = false;
        const again = world.machines.map((machine) => machine.run());
        for (const ended of await Promise.all(again)) expectToEnd(ended);
        const failed = world.asked().filter((request) => request.isTroubled).length;
        // No service charges for a refusal or for 503; whether it does for another failure, nobody knows.
        const isFree = code !== 'SERVICE_DOWN' || status === 503;
        await expectSharedOnce(world, { paidForNothing: isFree ? 0 : failed });
      },
      { short: status === 401 ? 1 : 0, long: 5, where },
    );
  }
});
