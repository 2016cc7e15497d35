import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { testWithRedis } from '../support/redis.ts';
import { expectToEnd } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { oneRedis } from './support/share/one-redis.ts';
import {
  callsIn,
  expectSharedOnce,
  openSharedWorld,
  requestsIn,
} from './support/share/shared-world.ts';
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

  faultCase(
    'take what another was answered before, with when it was fetched, and pay nothing for it',
    async () => {
      await using world = await openSharedWorld(redis.url, { shiftedBy: 0 });
      const [first, second] = world.machines;
      expectToEnd(await first.run());
      const asked = world.asked().length;
      const between = new Date().toISOString();
      // A budget of one request is enough where none leaves.
      expectToEnd(await second.run({ args: ['--max-calls', '1'] }));
      expect(world.asked()).toHaveLength(asked);
      await expectSharedOnce(world);
      expect(requestsIn(second.ledger)).toBe(0);
      expect(callsIn(second.ledger)).toMatchObject({ called: 0, reused: asked });
      const matched = recordsIn(second.output).filter(({ status }) => status === 'matched');
      expect(matched.length).toBeGreaterThan(0);
      for (const { fetched_at: fetchedAt } of matched) expect(fetchedAt < between).toBe(true);
    },
    { where: testWithRedis },
  );
});

function recordsIn(output: string): { status: string; fetched_at: string }[] {
  const lines = readFileSync(join(output, 'companies.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { status: string; fetched_at: string });
}
