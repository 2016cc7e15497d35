import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost, filesIn, untroubledFiles } from './support/oracle.ts';
import { jobOf } from './support/sample-job.ts';
import { expectTrouble } from './support/trouble.ts';
import { openWorld, type World } from './support/world.ts';

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
    'is not given to another run of the same job',
    async () => {
      // Slow answers, so that the first run is still calling when the second starts on a busy machine.
      await using world = await openWorld({}, () => answerAfter(250));
      const first = world.start();
      await world.untilAsked(5);
      expectTrouble(await world.run(), 'JOB_BUSY');
      const { by, stderr } = await first.ended;
      expect(by, stderr).toBe(0);
      await expectNothingLost(world);
    },
    { rounds: { short: 0, long: 2 } },
  );

  faultCase(
    'serves one job when another was killed with calls under way',
    async (seed) => {
      await using world = await openWorld({}, answerSlowly);
      const otherOutput = writeOther(world);
      const other = world.start(runOther);
      const { process: child, ended } = world.start();
      await world.untilAsked(10 + seed.random(80));
      child.kill('SIGKILL');
      await ended;
      const { by, stderr } = await other.ended;
      expect(by, stderr).toBe(0);
      const resumed = await world.run();
      expect(resumed.by, resumed.stderr).toBe(0);
      expect(filesIn(otherOutput)).toEqual(await untroubledFiles(world.shape));
      await expectNothingLost(world, { kills: 1 });
    },
    { rounds: { short: 1, long: 8 } },
  );

  faultCase(
    'serves one job when another is stopped for good with calls under way',
    async (seed) => {
      await using world = await openWorld({}, answerSlowly);
      const otherOutput = writeOther(world);
      const { process: child, ended } = world.start();
      await world.untilAsked(10 + seed.random(80));
      child.kill('SIGSTOP');
      const other = world.start(runOther);
      await world.untilAsked(world.asked().length + 5);
      // Calls that another run has leased are awaited while its process lives, even if it is stopped.
      child.kill('SIGCONT');
      expect((await ended).by).toBe(0);
      const { by, stderr } = await other.ended;
      expect(by, stderr).toBe(0);
      expect(filesIn(otherOutput)).toEqual(await untroubledFiles(world.shape));
      await expectNothingLost(world);
    },
    { rounds: { short: 0, long: 4 } },
  );

  faultCase(
    'and removed under a run is written back with all that was paid for, and told',
    async (seed) => {
      await using world = await openWorld({}, answerSlowly);
      const running = world.start();
      await world.untilAsked(10 + seed.random(60));
      for (const end of ['', '-wal', '-shm']) rmSync(`${world.ledger}${end}`, { force: true });
      expectTrouble(await running.ended, 'LEDGER_TROUBLE');
      const { by, stderr } = await world.run();
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills: 1 });
    },
    { rounds: { short: 0, long: 4 } },
  );
});
