import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { testWhere } from '../support/needs.ts';
import { faultCase } from './support/fault-case.ts';
import {
  expectFilesToFitManifest,
  expectFilesWholeOrAbsent,
  expectNothingLost,
  filesIn,
} from './support/oracle.ts';
import { at, type Point, points } from './support/points.ts';
import { listOf } from './support/sample-job.ts';
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

/** Misses are asked for every night. */
const shape = { people: 2, job: { reuse: { misses: '0s' } } };
const dayMs = 24 * 3_600_000;
const rowsAdded = 20;

/** A world after its first night, on whose second some answers have expired and the list is another. */
async function openSecondNight(): Promise<World> {
  const world = await openWorld(shape);
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  expireSome(world.ledger);
  const longer = listOf({ ...world.shape, rows: world.shape.rows + rowsAdded });
  const [header, ...rows] = longer.trimEnd().split('\n');
  // Every fifth row is gone, and the new ones come first.
  const others = rows.filter((_, index) => index % 5 > 0).reverse();
  writeFileSync(join(world.folder, 'leads.csv'), `${[header, ...others].join('\n')}\n`);
  return world;
}

/** Ages a third of the answers by 40 days; which ones depends on the calls alone. */
function expireSome(path: string): void {
  const db = new Database(path);
  const sumOf = (text: string) => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  db.function('sum_of', (text) => sumOf(String(text)));
  db.prepare(`
    update answer set fetched_at = fetched_at - ${40 * dayMs}
    where call_id in (select id from call where sum_of(request) % 3 = 0)`).run();
  db.close();
}

interface SecondNight {
  readonly files: Record<string, string>;
  readonly calls: readonly string[];
}

let undisturbed: Promise<SecondNight> | undefined;

async function runUndisturbed(): Promise<SecondNight> {
  await using world = await openSecondNight();
  const before = world.asked().length;
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  const calls = callsSince(world, before);
  expect(calls.length).toBe(new Set(calls).size);
  return { files: filesIn(world.output), calls };
}

function callsSince(world: World, before: number): string[] {
  return world
    .asked()
    .slice(before)
    .map(({ call }) => call);
}

faultCase(
  'a second night over another list that is killed again and again comes to what an undisturbed one does',
  async (seed) => {
    undisturbed ??= runUndisturbed();
    const { files, calls } = await undisturbed;
    await using world = await openSecondNight();
    const published = filesIn(world.output);
    const before = world.asked().length;
    const kills = 2 + seed.random(3);
    for (let kill = 0; kill < kills; kill += 1) {
      await startAndKill(world, seed);
      // Each file is whole: that of the first night, or that of the second.
      for (const [name, text] of Object.entries(filesIn(world.output))) {
        if (!name.startsWith('.')) expect([published[name], files[name]], name).toContain(text);
      }
    }
    const { by, stderr } = await world.run();
    expect(by, stderr).toBe(0);
    expect(filesIn(world.output)).toEqual(files);
    expectFilesToFitManifest(world.output);
    const made = callsSince(world, before);
    expect([...new Set(made)].sort()).toEqual([...calls].sort());
    const { concurrency } = world.shape;
    expect(made.length - calls.length, 'repeated').toBeLessThanOrEqual(kills * concurrency);
    expect(examineLedger(world.ledger).findings).toEqual([]);
  },
  { short: 0, long: 30 },
);
