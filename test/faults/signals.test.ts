import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { testIf } from '../support/needs.ts';
import { faultCase } from './support/fault-case.ts';
import { untilTold } from './support/ledger-trouble.ts';
import { expectNothingLost } from './support/oracle.ts';
import { at } from './support/points.ts';
import { canLookAtProcesses, childOf, untilStopped } from './support/processes.ts';
import { openWorld, type Running, type World } from './support/world.ts';

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;
type Signal = keyof typeof signals;
const all = Object.keys(signals) as Signal[];

const firstOfContainer = { under: ['unshare', '--fork', '--pid', '--kill-child'] };
const canBeFirst = spawnSync('unshare', ['--fork', '--pid', 'true']).status === 0;
const whereFirst = testIf(canBeFirst && canLookAtProcesses, 'unshare may not make a PID namespace');
const whereStopped = testIf(canLookAtProcesses, 'there is no /proc to see a stopped process in');

/** After one signal a run waits for the calls in flight, so no call is paid for twice. */
async function expectToFinish(world: World): Promise<void> {
  const { by, stderr } = await world.run();
  expect(by, stderr).toBe(0);
  await expectNothingLost(world, { kills: 0 });
}

describe('signals', () => {
  for (const signal of all) {
    faultCase(
      `${signal} at any time`,
      async (seed) => {
        await using world = await openWorld();
        const { process: child, ended } = world.start();
        await delay(seed.random(1_500));
        child.kill(signal);
        const { by, stderr } = await ended;
        // A signal before the handlers are installed ends the process at once.
        expect([0, signal, signals[signal]], stderr).toContain(by);
        await expectToFinish(world);
      },
      { short: 0, long: 10 },
    );

    faultCase(
      `${signal} as the first process of a container`,
      async (seed) => {
        await using world = await openWorld();
        const running = world.start(firstOfContainer);
        await world.untilAsked(1 + seed.random(100));
        process.kill(childOf(running), signal);
        const { by, stderr } = await running.ended;
        expect(by, stderr).toBe(signals[signal]);
        await expectToFinish(world);
      },
      { short: 0, long: 5, where: whereFirst },
    );
  }

  faultCase(
    'one waits for the answers to calls in flight',
    async (seed) => {
      const held: (() => void)[] = [];
      let isSlow = true;
      await using world = await openWorld({ people: undefined }, async (_, index) => {
        if (isSlow && index >= 10) await new Promise<void>((resolve) => held.push(resolve));
        return undefined;
      });
      const running = world.start();
      await world.untilAsked(10 + world.shape.concurrency);
      const signal = seed.pick(all);
      running.process.kill(signal);
      await untilTold(running, 'Waiting for');
      isSlow = false;
      for (const answer of held) answer();
      const { by, stderr } = await running.ended;
      expect(by, stderr).toBe(signals[signal]);
      expect(stderr).toContain(`Waiting for ${world.shape.concurrency} answers, at most`);
      expect(world.asked()).toHaveLength(10 + world.shape.concurrency);
      await expectToFinish(world);
      const calls = world.asked().map(({ call }) => call);
      expect(calls.length).toBe(new Set(calls).size);
    },
    { long: 3 },
  );

  faultCase('a second one leaves at once', (seed) => expectSecondToLeave(seed.pick(all)), {
    long: 6,
  });

  faultCase(
    'while the files are written',
    async (seed) => {
      await using world = await openWorld();
      const exporting = () => at('mid-export', 1 + seed.random(6), 'stop');
      const signal = seed.pick(all);
      expect(await endAfter(world.start(exporting()), signal)).toBe(signals[signal]);
      expect(readdirSync(world.output)).toEqual([]);
      await expectToFinish(world);

      const before = readdirSync(world.output);
      rmSync(join(world.output, 'companies.csv'));
      const command = ['export', 'job.yaml'];
      expect(await endAfter(world.start({ ...exporting(), command }), signal)).toBe(
        signals[signal],
      );
      expect(readdirSync(world.output)).toEqual(before.filter((name) => name !== 'companies.csv'));
    },
    { short: 0, long: 4, where: whereStopped },
  );
});

/** The service stops answering, so that the first signal waits and the second ends the process. */
async function expectSecondToLeave(signal: Signal): Promise<void> {
  let isSilent = true;
  await using world = await openWorld({}, (_, index) =>
    isSilent && index >= 10 ? { neverAnswer: true } : undefined,
  );
  const running = world.start();
  await world.untilAsked(10 + world.shape.concurrency);
  running.process.kill(signal);
  await untilTold(running, 'Waiting for');
  running.process.kill(signal);
  const { by, stderr } = await running.ended;
  expect(by, stderr).toBe(signals[signal]);
  const { concurrency } = world.shape;
  expect(stderr).toContain(`Waiting for ${concurrency} answers, at most `);
  expect(stderr).toContain(' s. Press Ctrl-C again to exit now.\n');
  expect(stderr).toContain(
    `${concurrency} calls may have been charged without an answer, if they were sent:`,
  );
  expect(stderr).toMatch(/^ {6}(?:company|people)\?/m);
  isSilent = false;
  await expectToFinish(world);
}

/** Sends a signal to a process that has stopped itself, then continues the process. */
async function endAfter(running: Running, signal: Signal) {
  await untilStopped(running);
  running.process.kill(signal);
  running.process.kill('SIGCONT');
  const { by, stderr } = await running.ended;
  expect(stderr).not.toContain('bug');
  return by;
}
