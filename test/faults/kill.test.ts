import { describe, expect } from 'vitest';
import { testWhere } from '../support/needs.ts';
import { faultCase } from './support/fault-case.ts';
import { expectFilesWholeOrAbsent, expectNothingLost } from './support/oracle.ts';
import { at, type Point, points } from './support/points.ts';
import { isLong, type Seed } from './support/seed.ts';
import { type diskCalls, withTrace } from './support/trace.ts';
import { openWorld, type World } from './support/world.ts';

const mostKills = 4;
/** One point of each part of a run, for `npm test`. */
const mostTelling: ReadonlySet<Point> = new Set([
  'mid-ingest',
  'before commit',
  'after commit',
  'mid-resume',
  'before rename',
  'before the end',
]);

async function expectToFinish(world: World, kills: number): Promise<void> {
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  await expectNothingLost(world, { kills });
}

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

  // One world for all points, so that each process finds what the kill before has left.
  faultCase('at named points, one after the other', async (seed) => {
    await using world = await openWorld();
    const tried = (Object.keys(points) as Point[]).filter(
      (point) => isLong || mostTelling.has(point),
    );
    for (const point of tried) {
      // Few hits, because the runs before have used up many of them.
      const hit = 1 + seed.random(Math.min(5, points[point].hits));
      const { by, stderr } = await world.run(at(point, hit));
      expect(by, `${point}, ${hit}: ${stderr}`).toBe('SIGKILL');
      await expectFilesWholeOrAbsent(world);
    }
    await expectToFinish(world, tried.length);
  });

  for (const point of Object.keys(points) as Point[]) {
    faultCase(
      `${point}, and once more when the run is resumed`,
      async (seed) => {
        await using world = await openWorld();
        const first = 1 + seed.random(points[point].hits);
        const before = await world.run(at(point, first));
        // A run that has not started before has no leases to recover, so it does not reach this point.
        if (point !== 'mid-resume') expect(before.by, before.stderr).toBe('SIGKILL');
        await world.run(at(point, 1 + seed.random(first)));
        await expectToFinish(world, 2);
      },
      { short: 0, long: 4 },
    );
  }

  const calls = {
    // Numbers of system calls that an untroubled run makes in one of its threads.
    pwrite: 2_000,
    sync: 100,
    rename: 2,
    remove: 4,
    truncate: 2,
  } as const satisfies Partial<Record<keyof typeof diskCalls, number>>;

  for (const call of Object.keys(calls) as (keyof typeof calls)[]) {
    faultCase(
      `below JavaScript, at a ${call} of the disk`,
      async (seed) => {
        await using world = await openWorld();
        const nth = 1 + seed.random(calls[call]);
        const { by, stderr } = await world.run(withTrace(call, 'signal=KILL', { nth }));
        expect(['SIGKILL', 0], stderr).toContain(by);
        await expectFilesWholeOrAbsent(world);
        await expectToFinish(world, 1);
      },
      { short: 0, long: 8, where: testWhere('strace') },
    );
  }
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
