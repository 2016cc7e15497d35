import { describe, expect } from 'vitest';
import { faultCase } from '../support/fault-case.ts';
import { expectFilesWholeOrAbsent, expectNothingLost, filesIn } from '../support/oracle.ts';
import { openWorld } from '../support/world.ts';

/** So long that the run has a second thread, for its queue and then for its files. */
const large = { rows: 1_200, people: undefined, concurrency: 40 };

describe('a run that uses threads', () => {
  faultCase(
    'loses nothing to kill -9 in the middle of its calls',
    async (seed) => {
      await using world = await openWorld(large);
      const kills = 2;
      for (let kill = 0; kill < kills; kill += 1) {
        const { process: child, ended } = world.start();
        await world.untilAsked(world.asked().length + 100 + seed.random(300));
        child.kill('SIGKILL');
        expect((await ended).by).toBe('SIGKILL');
        await expectFilesWholeOrAbsent(world);
      }
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills });
    },
    { short: 0, long: 8 },
  );

  faultCase(
    'repeats nothing after SIGTERM, and writes the same files again without a call',
    async (seed) => {
      await using world = await openWorld(large);
      const { process: child, ended } = world.start();
      await world.untilAsked(200 + seed.random(500));
      child.kill('SIGTERM');
      const stopped = await ended;
      expect(stopped.by, stopped.stderr).toBe(143);
      const resumed = await world.run();
      expect(resumed.by, resumed.stderr).toBe(0);
      await expectNothingLost(world, { kills: 0 });

      const before = { files: filesIn(world.output), asked: world.asked().length };
      const again = await world.run();
      expect(again.by, again.stderr).toBe(0);
      expect({ files: filesIn(world.output), asked: world.asked().length }).toEqual(before);
    },
    { long: 6 },
  );
});
