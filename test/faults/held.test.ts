import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectFilesToFitManifest, expectNothingLost, filesIn } from './support/oracle.ts';
import { at, type Point, points } from './support/points.ts';
import { openWorld, type World } from './support/world.ts';

/** A world whose job expects more than any result has, so that each is held. */
async function openHeldWorld(): Promise<World> {
  const world = await openWorld({ rows: 10, people: undefined });
  const path = join(world.folder, 'job.yaml');
  const job = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...job, expect: { matchRate: '> 100%' } }));
  return world;
}

const accept = { command: ['export', 'job.yaml', '--accept'] };

/** The only file in the place of the result is the lock of a process that was killed. */
function expectNothingPublished({ output }: World): void {
  const published = readdirSync(output, { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(published.map(({ name }) => name).filter((name) => !name.startsWith('.'))).toEqual([]);
}

describe('a result that is held', () => {
  for (const point of ['mid-export', 'before rename', 'before the end'] satisfies Point[]) {
    const isOfExport = point !== 'before the end';
    const then = isOfExport ? 'a kill of --accept' : '--accept';
    faultCase(
      `is held whole by the next start after a kill ${point}, and published whole after ${then}`,
      async (seed) => {
        await using world = await openHeldWorld();
        const hits = Math.min(4, points[point].hits);
        expect((await world.run(at(point, 1 + seed.random(hits)))).by).toBe('SIGKILL');
        expectNothingPublished(world);

        const { by, stdout, stderr } = await world.run();
        expect(by, stderr).toBe(4);
        expect(JSON.parse(stdout)).toMatchObject({
          resumed: true,
          held: [{ expected: '> 100%' }],
        });
        expectNothingPublished(world);
        const held = join(world.output, 'held-r1');
        expectFilesToFitManifest(held);
        expect(Object.keys(filesIn(held)).filter((name) => name.startsWith('.'))).toEqual([]);

        if (isOfExport) {
          const killed = await world.run({ ...accept, ...at(point, 1 + seed.random(hits)) });
          expect(killed.by, killed.stderr).toBe('SIGKILL');
        }
        const accepted = await world.run(accept);
        expect(accepted.by, accepted.stderr).toBe(0);
        expect(existsSync(held)).toBe(false);
        await expectNothingLost(world, { kills: 2 });
      },
      { short: point === 'before rename' ? 1 : 0, long: 4 },
    );
  }
});
