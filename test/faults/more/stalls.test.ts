import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { faultCase } from '../support/fault-case.ts';
import { expectNothingLost } from '../support/oracle.ts';
import { expectRateToHold, watchLoop } from '../support/sliding-second.ts';
import { withStalls } from '../support/stalls.ts';
import { openWorld } from '../support/world.ts';

const rate = 25;
const hourMs = 3_600_000;
const shape = {
  rows: 120,
  people: undefined,
  concurrency: 8,
  job: { limits: { rate, timeout: '2s' } },
};

/** A slow answer, so that a call is in flight while its process is stopped. */
async function answerSlowly(): Promise<undefined> {
  await delay(20);
  return undefined;
}

describe('a stall', () => {
  faultCase(
    'of every kind in one run leaves the rate as it is, and loses no answer',
    async (seed) => {
      using watch = watchLoop();
      await using world = await openWorld(shape, answerSlowly);
      const { process: child, ended } = world.start(
        withStalls([
          { atSend: 1 + seed.random(30), does: 'block the loop', ms: 1_000 },
          { atSend: 31 + seed.random(20), does: 'set the clock', ms: seed.pick([hourMs, -hourMs]) },
        ]),
      );
      await world.untilAsked(51 + seed.random(40));
      child.kill('SIGSTOP');
      // Longer than the timeout of a call whose answer arrives meanwhile.
      await delay(2_500);
      child.kill('SIGCONT');
      const { by, stderr } = await ended;
      expect(by, stderr).toBe(0);
      expectRateToHold(world.asked(), rate, watch);
      await expectNothingLost(world);
    },
    { long: 12 },
  );

  faultCase(
    'of the wall clock, set between a kill and the next run, repeats nothing',
    async (seed) => {
      await using world = await openWorld({ job: { reuse: { companies: 0, misses: 0 } } });
      const { process: child, ended } = world.start();
      await world.untilAsked(20 + seed.random(80));
      child.kill('SIGKILL');
      await ended;
      const ms = seed.pick([hourMs, -hourMs]);
      const { by, stderr } = await world.run(
        withStalls([{ atSend: 0, does: 'set the clock', ms }]),
      );
      expect(by, stderr).toBe(0);
      await expectNothingLost(world, { kills: 1 });
    },
    { short: 0, long: 6 },
  );
});
