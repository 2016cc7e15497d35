import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { found } from '../journeys/sample-companies.ts';
import { testIf, testWhere } from '../support/needs.ts';
import { canMount, mountSmallDisk } from './support/disks.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { at, type Point, points } from './support/points.ts';
import { answerTruly, defaultShape } from './support/sample-job.ts';
import { withTrace } from './support/trace.ts';
import { expectTrouble } from './support/trouble.ts';
import { type Ended, openWorld, type React, type World } from './support/world.ts';

const whereMounts = testIf(canMount, 'this user may not mount a small disk');
const onDisk = ['LEDGER_TROUBLE', 'OUTPUT_TROUBLE'] as const;

/** Runs again after the disk is repaired. Answers in flight at the failure are lost, as at a kill. */
async function expectToRecover(world: World, troubled: Ended): Promise<void> {
  expectTrouble(troubled, ...onDisk);
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  await expectNothingLost(world, { kills: 1 });
}

/** Answers that fill a disk quickly, because they cannot be compressed. */
const answerAtLength: React = (request) => {
  const truly = answerTruly(defaultShape, request);
  if (request.method === 'POST' || truly.status !== undefined) return undefined;
  const description = randomBytes(60_000).toString('base64');
  return found({ ...(JSON.parse(String(truly.body)) as object), description });
};

describe('a disk', () => {
  faultCase(
    'that is full is reported, and everything paid for is there when it has room again',
    async (seed) => {
      await using world = await openWorld();
      using disk = mountSmallDisk(world.folder, 20 + seed.random(3_500));
      const troubled = await world.run();
      disk.grow();
      await expectToRecover(world, troubled);
    },
    { long: 20, where: whereMounts },
  );

  faultCase(
    'without room for a new ledger is reported, and the same command goes on with more room',
    async (seed) => {
      await using world = await openWorld();
      using disk = mountSmallDisk(world.folder, 12 + seed.random(120));
      expectTrouble(await world.run(), 'LEDGER_TROUBLE');
      disk.grow();
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      expect(examineLedger(world.ledger).findings).toEqual([]);
    },
    { short: 0, long: 10, where: whereMounts },
  );

  faultCase(
    'that stays full is not paid for again and again',
    async (seed) => {
      await using world = await openWorld({}, answerAtLength);
      using _disk = mountSmallDisk(world.folder, 1_600 + seed.random(1_200));
      for (let start = 0; start < 5; start += 1) expectTrouble(await world.run(), ...onDisk);
      const calls = world.asked().map(({ call }) => call);
      const repeats = calls.length - new Set(calls).size;
      expect(repeats).toBeLessThanOrEqual(world.shape.concurrency);
    },
    { short: 0, long: 4, where: whereMounts },
  );

  for (const error of ['EIO', 'ENOSPC'] as const) {
    for (const call of ['pwrite', 'sync'] as const) {
      faultCase(
        `that fails with ${error} at a ${call} of the ledger is reported, and nothing is lost`,
        async (seed) => {
          await using world = await openWorld();
          const troubled = await world.run(
            withTrace(call, `error=${error}`, {
              nth: 1 + seed.random(call === 'pwrite' ? 1_500 : 80),
              andAllLater: true,
              paths: [`${world.ledger}-wal`],
            }),
          );
          await expectToRecover(world, troubled);
        },
        {
          short: 0,
          long: 6,
          where: testWhere('strace'),
        },
      );
    }

    for (const point of ['mid-export', 'after fsync', 'before rename'] satisfies Point[]) {
      faultCase(
        `that fails with ${error} ${point} is reported, and the export is repeated`,
        async (seed) => {
          await using world = await openWorld();
          const hit = 1 + seed.random(points[point].hits);
          const troubled = await world.run(at(point, hit, error));
          expectTrouble(troubled, 'OUTPUT_TROUBLE');
          const calls = world.asked().length;
          const { by, stderr } = await world.run();
          expect(by, stderr).toBe(0);
          expect(world.asked().length, 'calls').toBe(calls);
          await expectNothingLost(world);
        },
        { short: 0, long: 3 },
      );
    }
  }

  faultCase(
    'that cannot be read is reported, and nothing is lost',
    async (seed) => {
      await using world = await openWorld();
      // The first run is stopped, so that the resumed run reads the ledger.
      const { process: child, ended } = world.start();
      await world.untilAsked(20 + seed.random(80));
      child.kill('SIGKILL');
      await ended;
      const paths = [world.ledger, `${world.ledger}-wal`];
      const troubled = await world.run(
        withTrace('read', 'error=EIO', { nth: 1 + seed.random(60), andAllLater: true, paths }),
      );
      if (troubled.by !== 0) expectTrouble(troubled, 'LEDGER_TROUBLE', 'LEDGER_DAMAGED');
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills: 2 });
    },
    { short: 0, long: 6, where: testWhere('strace') },
  );
});
