import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openObjectStore } from '../../../src/platform/objects/open-object-store.ts';
import { findLie } from '../../results/destinations/s3/sample-upload.ts';
import { startObjectStore } from '../../support/object-store.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectFilesToFitManifest, expectNothingLost } from '../support/oracle.ts';
import { at, type Point } from '../support/points.ts';
import { openWorld } from '../support/world.ts';

/** A folder as in other worlds, one of CSV with few columns, and a part of a bucket. */
const output = [
  { path: 'output', format: ['jsonl', 'csv'] },
  { path: 'second', format: 'csv', columns: ['row_key', 'status'] },
  { path: 's3://results/third', format: 'csv' },
];

/** Renames of an untroubled export, at least: of the files that wait for the bucket, and then of both folders. */
const renames = 18;
/** Of one that finds everything as it is: those that wait for the bucket alone. */
const leastRenames = 5;

const isThere = (folder: string) => existsSync(join(folder, 'manifest.json'));

function idIn(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')).run;
}

describe('a run with several destinations', () => {
  faultCase(
    'that is killed between them leaves each complete or unchanged, and the next run completes all',
    async (seed) => {
      await using store = await startObjectStore();
      await using objects = await openObjectStore(store.env);
      await using world = await openWorld({ rows: 12, people: 1, job: { output } });
      const second = join(world.folder, 'second');
      const expectNoLie = async (when: string) => {
        for (const folder of [world.output, second]) {
          if (isThere(folder)) expectFilesToFitManifest(folder);
        }
        expect(await findLie(objects, store.bucket, 'third/'), when).toBeUndefined();
      };
      const points: [Point, number][] = [
        ['before rename', 1 + seed.random(renames)],
        ['before rename', 1 + seed.random(leastRenames)],
        ['before the end', 1],
      ];
      for (const [point, hit] of points) {
        const options = at(point, hit);
        const { by, stderr } = await world.run({
          ...options,
          env: { ...options.env, ...store.env },
        });
        expect(by, `${point}, ${hit}: ${stderr}`).toBe('SIGKILL');
        await expectNoLie(`${point}, ${hit}`);
      }
      const { by, stderr } = await world.run({ env: store.env });
      expect(by, stderr).toBe(0);
      // The untroubled run that it is compared with needs no bucket.
      const shape = { ...world.shape, job: {} };
      await expectNothingLost({ ...world, shape }, { kills: points.length });
      await expectNoLie('at the end');
      expect([idIn(world.output), idIn(second)]).toEqual(['r1', 'r1']);
      const latest = await objects.get({ bucket: store.bucket, key: 'third/latest.json' });
      expect(latest).toBeDefined();
    },
    { long: 20 },
  );
});
