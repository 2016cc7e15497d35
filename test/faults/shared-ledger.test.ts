import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { testIf } from '../support/needs.ts';
import { faultCase } from './support/fault-case.ts';
import { holdLedger, takeAwayLedger, untilTold } from './support/ledger-trouble.ts';
import {
  expectFilesToFitManifest,
  expectNothingLost,
  filesIn,
  untroubledFiles,
} from './support/oracle.ts';
import { at } from './support/points.ts';
import { canLookAtProcesses, untilStopped } from './support/processes.ts';
import { jobOf, listOf } from './support/sample-job.ts';
import { expectToEnd, expectTrouble } from './support/trouble.ts';
import { openWorld, type Running, type World } from './support/world.ts';

/** A slow answer, so that calls are in flight at any time. */
async function answerAfter(ms: number): Promise<undefined> {
  await delay(ms);
  return undefined;
}

const answerSlowly = () => answerAfter(20);

const runOther = { command: ['run', 'other.yaml', '--json'] };

/** A second job over the same list and ledger. */
function writeOther(world: World): string {
  const output = { path: 'other', format: world.shape.formats };
  const job = { ...jobOf(world.shape), name: 'other', output };
  writeFileSync(join(world.folder, 'other.yaml'), JSON.stringify(job));
  return join(world.folder, 'other');
}

describe('a ledger that is shared', () => {
  faultCase(
    'serves one job when another was killed with calls under way',
    async (seed) => {
      await using world = await openWorld({ people: 1 }, answerSlowly);
      const otherOutput = writeOther(world);
      const { process: child, ended } = world.start();
      await world.untilAsked(5);
      const other = world.run(runOther);
      await world.untilAsked(10 + seed.random(40));
      child.kill('SIGKILL');
      await ended;
      const { by, stderr } = await other;
      expect(by, stderr).toBe(0);
      const resumed = await world.run();
      expect(resumed.by, resumed.stderr).toBe(0);
      expect(filesIn(otherOutput)).toEqual(await untroubledFiles(world.shape));
      await expectNothingLost(world, { kills: 1 });
    },
    { long: 8 },
  );

  faultCase(
    'and locked by another program loses no paid answer; moved away, it ends the run with what is lost',
    async (seed) => {
      await using world = await openWorld({ people: 1 }, answerSlowly);
      const running = world.start();
      await world.untilAsked(20);
      {
        using _held = holdLedger(world);
        await untilTold(running, 'ledger.held');
        // Nothing is asked while nothing can be stored, and a signal does not end the waiting.
        const asked = world.asked().length;
        running.process.kill('SIGTERM');
        expect(world.asked().length).toBe(asked);
      }
      expectTrouble(await running.ended, 'TERMINATED');
      const asked = world.asked().length;
      let resumed: Running;
      {
        using _held = holdLedger(world);
        resumed = world.start();
        await untilTold(resumed, 'ledger.held');
      }
      await world.untilAsked(asked + 5 + seed.random(20));
      const putBack = takeAwayLedger(world);
      const ended = await resumed.ended;
      expectTrouble(ended, 'LEDGER_MISSING');
      expect(ended.stderr).toMatch(/Answers lost before they were stored: \d+. Up to \d+ calls?/);
      putBack();
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills: 1 });
    },
    { long: 4 },
  );

  faultCase(
    'leaves in a folder of outputs that two jobs share the files of one of them',
    async (seed) => {
      await using world = await openWorld({ people: 1 });
      const shorter = { ...world.shape, rows: 5 };
      writeFileSync(join(world.folder, 'shorter.csv'), listOf(shorter));
      const own = { name: 'other', input: { path: 'shorter.csv' }, ledger: 'other.db' };
      const job = { ...jobOf(shorter), ...own };
      writeFileSync(join(world.folder, 'other.yaml'), JSON.stringify(job));
      const first = world.start(at('before rename', 2 + seed.random(4), 'stop'));
      await untilStopped(first);
      const asked = world.asked().length;
      const second = world.start(runOther);
      await world.untilAsked(asked + shorter.rows);
      // A second that does not wait writes its files now.
      await Promise.race([second.ended, delay(1_500)]);
      first.process.kill('SIGCONT');
      expectToEnd(await first.ended);
      expectToEnd(await second.ended);
      expectFilesToFitManifest(world.output);
      expect(filesIn(world.output)).toEqual(await untroubledFiles(shorter));
    },
    {
      short: 0,
      long: 4,
      where: testIf(canLookAtProcesses, 'there is no /proc to see a stopped process in'),
    },
  );
});
