import { expect } from 'vitest';
import { expectFilesWholeOrAbsent, expectNothingLost } from './oracle.ts';
import { at, type Point, points } from './points.ts';
import type { Seed } from './seed.ts';
import { openWorld, type World } from './world.ts';

export async function expectToFinish(world: World, kills: number): Promise<void> {
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  await expectNothingLost(world, { kills });
}

/** Kills a run at each point, in one world, so that each process finds what the kill before has left. */
export async function killAtPoints(seed: Seed, tried: readonly Point[]): Promise<void> {
  await using world = await openWorld();
  for (const point of tried) {
    // Few hits, because the runs before have used up many of them.
    const hit = 1 + seed.random(Math.min(5, points[point].hits));
    const { by, stderr } = await world.run(at(point, hit));
    expect(by, `${point}, ${hit}: ${stderr}`).toBe('SIGKILL');
    await expectFilesWholeOrAbsent(world);
  }
  await expectToFinish(world, tried.length);
}
