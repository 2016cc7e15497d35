import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { holdLedger, takeAwayLedger, untilTold } from './support/ledger-trouble.ts';
import { expectFilesWholeOrAbsent, expectNothingLost, filesIn } from './support/oracle.ts';
import { expectTrouble } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

/** So long that the run has a second thread, for its queue and then for its files. */
const large = { rows: 2_000, people: undefined, concurrency: 40 };

describe('a run that uses threads', () => {
  faultCase(
    'loses nothing to kill -9 in the middle of its calls',
    async (seed) => {
      await using world = await openWorld(large);
      const kills = 2;
      for (let kill = 0; kill < kills; kill += 1) {
        const { process: child, ended } = world.start();
        await world.untilAsked(world.asked().length + 200 + seed.random(400));
        child.kill('SIGKILL');
        expect((await ended).by).toBe('SIGKILL');
        await expectFilesWholeOrAbsent(world);
      }
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills });
    },
    { rounds: { short: 0, long: 8 } },
  );

  faultCase(
    'repeats nothing after SIGTERM, and writes the same files again without a call',
    async (seed) => {
      await using world = await openWorld(large);
      const { process: child, ended } = world.start();
      await world.untilAsked(200 + seed.random(800));
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
    { rounds: { short: 1, long: 6 } },
  );

  faultCase(
    'loses nothing when the thread of its queue breaks down, and goes on later',
    async (seed) => {
      await using world = await openWorld(large);
      const atReply = 4 + seed.random(8);
      const stopped = await world.run({
        nodeOptions: ['--import', join(import.meta.dirname, 'support/at-thread-reply.ts')],
        env: { FAULT_AT_REPLY: String(atReply) },
      });
      expect(stopped.by, stopped.stderr).toBe(1);
      expect(stopped.stderr).toContain('the thread breaks down');
      const resumed = await world.run();
      expect(resumed.by, resumed.stderr).toBe(0);
      await expectNothingLost(world, { kills: 1 });
    },
    { rounds: { short: 1, long: 4 } },
  );

  faultCase(
    'stops at a refused key in the middle, with its own words, and goes on later',
    async (seed) => {
      const refusesFrom = 300 + seed.random(700);
      let refuses = true;
      await using world = await openWorld(large, (_request, index) =>
        refuses && index >= refusesFrom
          ? { status: 401, body: '{"error":401,"message":"Unknown key."}' }
          : undefined,
      );
      const stopped = await world.run();
      expect(stopped.by, stopped.stderr).toBe(77);
      expect(stopped.stderr).toContain('KEY_REFUSED');
      expect(stopped.stderr).not.toMatch(/^ {4}at /m);
      refuses = false;
      const resumed = await world.run();
      expect(resumed.by, resumed.stderr).toBe(0);
      await expectNothingLost(world, { kills: 0 });
    },
    { rounds: { short: 0, long: 4 } },
  );

  faultCase(
    'keeps what was paid for while another program holds its ledger, and stops when that is moved away',
    async (seed) => {
      await using world = await openWorld(large);
      const running = world.start();
      await world.untilAsked(100 + seed.random(400));
      {
        using _held = holdLedger(world);
        await untilTold(running, 'ledger.held');
      }
      await world.untilAsked(world.asked().length + 100);
      const putBack = takeAwayLedger(world);
      expectTrouble(await running.ended, 'LEDGER_MISSING');
      putBack();
      const resumed = await world.run();
      expect(resumed.by, resumed.stderr).toBe(0);
      await expectNothingLost(world, { kills: 1 });
    },
    { rounds: { short: 0, long: 4 } },
  );
});
