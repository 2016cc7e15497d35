import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { expectRateToHold, watchLoop } from './support/sliding-second.ts';
import { type Stall, withStalls } from './support/stalls.ts';
import { openWorld, type World } from './support/world.ts';

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

/** Runs a job with stalls and checks the rate; `then` may act on the process from outside. */
async function expectRateThroughout(
  stalls: readonly Stall[],
  then: (world: World, pid: number) => Promise<void> = async () => {},
): Promise<void> {
  using watch = watchLoop();
  await using world = await openWorld(shape, answerSlowly);
  const { process: child, ended } = world.start(withStalls(stalls));
  await then(world, child.pid ?? 0);
  const { by, stderr } = await ended;
  expect(by, stderr).toBe(0);
  expectRateToHold(world.asked(), rate, watch);
  await expectNothingLost(world);
}

async function stopFor(world: World, pid: number, atRequest: number, ms: number): Promise<void> {
  await world.untilAsked(atRequest);
  process.kill(pid, 'SIGSTOP');
  await delay(ms);
  process.kill(pid, 'SIGCONT');
}

describe('a stall', () => {
  // The last stall is longer than the timeout of a call whose answer arrives meanwhile.
  faultCase('of every kind in one run leaves the rate as it is, and loses no answer', (seed) =>
    expectRateThroughout(
      [
        { atSend: 20, does: 'block the loop', ms: 1_000 },
        { atSend: 40, does: 'set the clock', ms: seed.pick([hourMs, -hourMs]) },
      ],
      (world, pid) => stopFor(world, pid, 60, 2_500),
    ),
  );

  faultCase(
    'by SIGSTOP for 5 s leaves the rate as it is',
    (seed) =>
      expectRateThroughout([], (world, pid) => stopFor(world, pid, 1 + seed.random(60), 5_000)),
    { rounds: { short: 0, long: 4 } },
  );

  faultCase(
    'of the event loop for 1 s leaves the rate as it is',
    (seed) =>
      expectRateThroughout([
        { atSend: 1 + seed.random(40), does: 'block the loop', ms: 1_000 },
        { atSend: 41 + seed.random(40), does: 'block the loop', ms: 1_000 },
      ]),
    { rounds: { short: 0, long: 4 } },
  );

  for (const [name, ms] of [
    ['forward', hourMs],
    ['back', -hourMs],
  ] as const) {
    faultCase(
      `of the wall clock, set ${name} by an hour, leaves the rate as it is`,
      (seed) => expectRateThroughout([{ atSend: 1 + seed.random(60), does: 'set the clock', ms }]),
      { rounds: { short: 0, long: 3 } },
    );

    faultCase(
      `of the wall clock, set ${name} between a kill and the next run, repeats nothing`,
      async (seed) => {
        await using world = await openWorld({ job: { reuse: { companies: 0, misses: 0 } } });
        const { process: child, ended } = world.start();
        await world.untilAsked(20 + seed.random(80));
        child.kill('SIGKILL');
        await ended;
        const { by, stderr } = await world.run(
          withStalls([{ atSend: 0, does: 'set the clock', ms }]),
        );
        expect(by, stderr).toBe(0);
        await expectNothingLost(world, { kills: 1 });
      },
      { rounds: { short: 0, long: 3 } },
    );
  }

  faultCase(
    'longer than the timeout of a call loses no answer that has come meanwhile',
    async (seed) => {
      const limits = { timeout: '1s' };
      await using world = await openWorld({ job: { limits } }, answerSlowly);
      const { process: child, ended } = world.start();
      await stopFor(world, child.pid ?? 0, 10 + seed.random(100), 1_500);
      const { by, stderr } = await ended;
      expect(by, stderr).toBe(0);
      await expectNothingLost(world);
    },
    { rounds: { short: 0, long: 5 } },
  );
});
