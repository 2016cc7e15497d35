import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { expectToEnd } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

const limits = { attempts: 1, maxWait: '20s' };

describe('a service that throttles', () => {
  faultCase('50 calls at once with Retry-After 3: silence, and no attempt is charged', async () => {
    const burst = 50;
    const shape = { rows: 80, people: undefined, concurrency: burst, job: { limits } };
    await using world = await openWorld(shape, (_, index) =>
      index < burst ? { status: 429, body: '{}', headers: { 'retry-after': '3' } } : undefined,
    );
    expectToEnd(await world.run());
    const asked = world.asked();
    const toldAtMs = asked.slice(0, burst).map(({ answeredAtMs = 0 }) => answeredAtMs);
    expect((asked[burst]?.atMs ?? 0) - Math.max(...toldAtMs)).toBeGreaterThanOrEqual(3_000);
    await expectNothingLost(world);
  });
});
