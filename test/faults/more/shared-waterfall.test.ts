import { expect } from 'vitest';
import { testWithRedis } from '../../support/redis.ts';
import { faultCase } from '../support/fault-case.ts';
import { findIn } from '../support/find-secret.ts';
import { expectAskedInTurn, firstSetup, openServicesWorld } from '../support/services-world.ts';
import { oneRedis } from '../support/share/one-redis.ts';
import { redisBytes } from '../support/share/redis-bytes.ts';
import { expectToEnd, expectToStop } from '../support/trouble.ts';

const redis = oneRedis();

faultCase(
  'machines that share several services ask each question once, and Redis holds no key',
  async (seed) => {
    await using world = await openServicesWorld(30, { saysMiss: true });
    const share = 'share: "$' + '{DOSSIER_SHARE}"';
    world.write({ extra: { ours: share, main: share, second: share } });
    // Another ledger is another machine.
    using other = world.openMachine();
    const most = ['--max-calls', String(1 + seed.random(60))];
    const env = { DOSSIER_SHARE: redis.url };
    // Killed between a miss and the next question: the other machine waits for its leases to end.
    const kills = seed.random(2);
    const first =
      kills > 0 ? world.killAfter(seed.random(60), env) : world.run(most, { isAlone: true, env });
    const second = world.run([], { isAlone: true, env, cwd: other.path });
    const ended = await first;
    if (ended && ended.by !== 0) expectToStop(ended, 'BUDGET_SPENT');
    expectToEnd(await second);
    expectToEnd(await world.run([], { env }));
    expectAskedInTurn(world, { kills, isCountedElsewhere: true });
    const bytes = await redisBytes(redis.url);
    expect(Object.keys(bytes).length).toBeGreaterThan(10);
    for (const key of Object.values(firstSetup.keys)) expect(findIn(key, bytes)).toEqual([]);
  },
  { long: 8, where: testWithRedis },
);
