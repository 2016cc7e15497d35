import { describe } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectToFinish, killAtPoints } from './support/kills.ts';
import { expectFilesWholeOrAbsent } from './support/oracle.ts';
import type { Seed } from './support/seed.ts';
import { openWorld, type World } from './support/world.ts';

const mostKills = 4;

describe('kill -9', () => {
  faultCase(
    'at seeded instants, again and again',
    async (seed) => {
      await using world = await openWorld();
      const kills = 1 + seed.random(mostKills);
      for (let kill = 0; kill < kills; kill += 1) {
        await startAndKill(world, seed);
        await expectFilesWholeOrAbsent(world);
      }
      await expectToFinish(world, kills);
    },
    { short: 0, long: 80 },
  );

  faultCase('after a commit, while a run is resumed, and before the files appear', (seed) =>
    killAtPoints(seed, ['after commit', 'mid-resume', 'before rename']),
  );
});

/** Kills a run while it starts and reads, while it calls, or while it writes its files. */
async function startAndKill(world: World, seed: Seed): Promise<void> {
  const { process: child, ended } = world.start();
  const kill = () => setTimeout(() => child.kill('SIGKILL'), seed.random(40));
  const before = world.asked().length;
  switch (seed.random(4)) {
    case 0:
      setTimeout(kill, 50 + seed.random(1_000));
      break;
    case 1:
      // Complete calls are not made again, so the run may end before this many requests.
      void world.untilAsked(before + 1 + seed.random(140)).then(kill);
      break;
    default:
      void world.untilAsked(before + 1 + seed.random(20)).then(kill);
  }
  await ended;
}
