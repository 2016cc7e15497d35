import { describe, expect } from 'vitest';
import { testWhere } from '../../support/needs.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectToFinish, killAtPoints } from '../support/kills.ts';
import { expectFilesWholeOrAbsent } from '../support/oracle.ts';
import { at, type Point, points } from '../support/points.ts';
import { type diskCalls, withTrace } from '../support/trace.ts';
import { openWorld } from '../support/world.ts';

const all = Object.keys(points) as Point[];

describe('kill -9', () => {
  faultCase('at named points, one after the other', (seed) => killAtPoints(seed, all));

  for (const point of all) {
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
