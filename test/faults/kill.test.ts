import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { openWorld } from './support/world.ts';

const killsInARound = 4;

describe('kill -9', () => {
  faultCase(
    'at seeded instants, again and again',
    async (seed) => {
      await using world = await openWorld();
      for (let kill = 0; kill < killsInARound; kill += 1) {
        const { process: child, ended } = world.start();
        setTimeout(() => child.kill('SIGKILL'), 100 + seed.random(1_200));
        await ended;
      }
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills: killsInARound });
    },
    { rounds: { short: 1, long: 50 } },
  );
});
