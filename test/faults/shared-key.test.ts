import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { makeCertificate } from '../support/make-certificate.ts';
import { isOnPath, testIf } from '../support/needs.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
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

describe('machines that share a key', () => {
  faultCase(
    'ask no question twice, keep one rate, and each row ends as on a machine of its own',
    async (seed) => {
      const rate = 40 + seed.random(20);
      await using world = await openSharedWorld(redis.url, {
        ...patient,
        machines: 3,
        job: { limits: { rate } },
      });
      using watch = watchLoop();
      const ends = await Promise.all(world.machines.map((machine) => machine.run()));
      for (const ended of ends) expectToEnd(ended);
      await expectSharedOnce(world);
      expectRateToHold(world.asked(), rate, watch);
      const calls = world.machines.map(({ ledger }) => callsIn(ledger));
      expect(calls.reduce((sum, { made, failed }) => sum + made + failed, 0)).toBe(
        world.asked().length,
      );
      expect(calls.reduce((sum, { reused }) => sum + reused, 0)).toBeGreaterThan(0);
    },
    { long: 10, where: testWithRedis },
  );

  faultCase(
    'take what another was answered before, with when it was fetched, and pay nothing for it',
    async () => {
      await using world = await openSharedWorld(redis.url, { ...patient, shiftedBy: 0 });
      const [first, second] = world.machines;
      expectToEnd(await first.run());
      const asked = world.asked().length;
      const between = new Date().toISOString();
      // A budget of one request is enough where none leaves.
      expectToEnd(await second.run({ args: ['--max-calls', '1'] }));
      expect(world.asked()).toHaveLength(asked);
      await expectSharedOnce(world);
      expect(requestsIn(second.ledger)).toBe(0);
      expect(callsIn(second.ledger)).toMatchObject({ made: 0, failed: 0, reused: asked });
      const matched = recordsIn(second.output).filter(({ status }) => status === 'matched');
      expect(matched.length).toBeGreaterThan(0);
      for (const { fetched_at: fetchedAt } of matched) expect(fetchedAt < between).toBe(true);
    },
    { where: testWithRedis },
  );

  faultCase(
    'each end where their own budget is spent, and go on with the next',
    async (seed) => {
      const most = 5 + seed.random(10);
      await using world = await openSharedWorld(redis.url, patient);
      const args = ['--max-calls', String(most)];
      const starts = world.machines.map((machine) => machine.run({ args }));
      for (const ended of await Promise.all(starts)) expectToStop(ended, 'BUDGET_SPENT');
      for (const { ledger } of world.machines) expect(requestsIn(ledger)).toBe(most);
      const again = world.machines.map((machine) => machine.run());
      for (const ended of await Promise.all(again)) expectToEnd(ended);
      await expectSharedOnce(world);
    },
    { short: 0, long: 5, where: testWithRedis },
  );

  const hasBoth = isOnPath('redis-server') && isOnPath('openssl');
  faultCase(
    'share it over TLS, by a certificate that they are told of and by no other',
    async () => {
      const certificate = makeCertificate('IP:127.0.0.1');
      await using encrypted = await startRedis({ certificate });
      await using world = await openSharedWorld(encrypted.url, {
        ...patient,
        rows: 5,
        shiftedBy: 0,
      });
      const [first, second] = world.machines;
      expectToStop(await first.run(), 'SHARE_DOWN', 'certificate not trusted');
      const authority = join(first.folder, 'authority.pem');
      writeFileSync(authority, certificate.cert);
      const env = { NODE_EXTRA_CA_CERTS: authority };
      expectToEnd(await first.run({ env }));
      expectToEnd(await second.run({ env, args: ['--max-calls', '1'] }));
      await expectSharedOnce(world);
    },
    { short: 0, where: testIf(hasBoth, 'redis-server or openssl is not on PATH') },
  );
});

function recordsIn(output: string): { status: string; fetched_at: string }[] {
  const lines = readFileSync(join(output, 'companies.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { status: string; fetched_at: string });
}
