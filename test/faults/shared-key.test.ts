import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { testWithRedis } from '../support/redis.ts';
import { faultCase } from './support/fault-case.ts';
import { oneRedis } from './support/share/one-redis.ts';
import {
  callsIn,
  expectSharedOnce,
  openSharedWorld,
  patient,
  requestsIn,
} from './support/share/shared-world.ts';
import { expectRateToHold, watchLoop } from './support/sliding-second.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';

const redis = oneRedis();
const where = testWithRedis;

describe('machines that share a key', () => {
  faultCase(
    'make no call twice, keep one rate, use answers of each other, and each row ends as on a single machine',
    async (seed) => {
      const rate = 20 + seed.random(20);
      await using world = await openSharedWorld(redis.url, {
        ...patient,
        rows: 10,
        shiftedBy: 5,
        job: { limits: { rate } },
      });
      using watch = watchLoop();
      const { ended: ends } = await world.enterAll(redis.url);
      for (const ended of await ends) expectToEnd(ended);
      await expectSharedOnce(world);
      expectRateToHold(world.asked(), rate, watch);
      const calls = world.machines.map(({ ledger }) => callsIn(ledger));
      expect(calls.reduce((sum, { made, failed }) => sum + made + failed, 0)).toBe(
        world.asked().length,
      );
      expect(calls.reduce((sum, { reused }) => sum + reused, 0)).toBeGreaterThan(0);

      // A machine that lost its ledger pays nothing. A budget of one request is enough where none leaves.
      const [{ ledger, output, run }] = world.machines;
      for (const path of [ledger, output]) rmSync(path, { recursive: true });
      const asked = world.asked().length;
      const between = new Date().toISOString();
      expectToEnd(await run({ args: ['--max-calls', '1'] }));
      expect(world.asked()).toHaveLength(asked);
      expect(requestsIn(ledger)).toBe(0);
      expect(callsIn(ledger)).toMatchObject({ made: 0, failed: 0 });
      const matched = recordsIn(output).filter(({ status }) => status === 'matched');
      expect(matched.length).toBeGreaterThan(0);
      for (const { fetched_at: fetchedAt } of matched) expect(fetchedAt < between).toBe(true);
    },
    { long: 10, where },
  );

  faultCase(
    'each end where their own budget is spent, and go on with the next',
    async (seed) => {
      const most = 5 + seed.random(10);
      await using world = await openSharedWorld(redis.url, patient);
      const args = ['--max-calls', String(most)];
      for (const ended of await world.runAll({ args })) expectToStop(ended, 'BUDGET_SPENT');
      for (const { ledger } of world.machines) expect(requestsIn(ledger)).toBe(most);
      for (const ended of await world.runAll()) expectToEnd(ended);
      await expectSharedOnce(world);
    },
    { short: 0, long: 5, where },
  );
});

function recordsIn(output: string): { status: string; fetched_at: string }[] {
  const lines = readFileSync(join(output, 'companies.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { status: string; fetched_at: string });
}

/** Answers after which every run of the key stops, and what it stops with. */
const stops: Readonly<
  Record<string, { readonly status: number; readonly code: ErrorCode; readonly before: number }>
> = {
  'refuses the key': { status: 401, code: 'KEY_REFUSED', before: 10 },
  // After answers, half of a hundred attempts would have to fail before a run stops.
  'is down': { status: 503, code: 'SERVICE_DOWN', before: 0 },
};

faultCase(
  'a service throttles one of several machines, and all wait',
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
    const ends = await world.runAll();
    for (const ended of ends) expectToEnd(ended);
    await expectSharedOnce(world);
    const { fromMs = 0, toMs = 0 } = closed ?? {};
    expect(toMs).toBeGreaterThan(0);
    const within = world.asked().filter(({ atMs }) => atMs > fromMs && atMs < toMs);
    expect(within).toEqual([]);
  },
  { short: 0, long: 10, where },
);

for (const [does, { status, code, before }] of Object.entries(stops)) {
  faultCase(
    `a service ${does}, which stops all machines, and the same commands go on`,
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
      const starts = world.runAll();
      // A service that is down from the start stops the runs after few requests.
      if (before > 0) await world.untilAsked(before + seed.random(20));
      isTroubled = true;
      for (const ended of await starts) expectToStop(ended, code);
      isTroubled = false;
      for (const ended of await world.runAll()) expectToEnd(ended);
      const failed = world.asked().filter((request) => request.isTroubled).length;
      // No service charges for a refusal or for 503; whether it does for another failure, nobody knows.
      const isFree = code !== 'SERVICE_DOWN' || status === 503;
      await expectSharedOnce(world, { paidForNothing: isFree ? 0 : failed });
    },
    { short: 0, long: 5, where },
  );
}
