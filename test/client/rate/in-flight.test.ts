import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openInFlight } from '../../../src/client/rate/in-flight.ts';

const noStop = new AbortController().signal;

test('no more attempts are in flight than allowed', async () => {
  const inFlight = openInFlight(2, noStop);
  let running = 0;
  let most = 0;
  const attempt = async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => inFlight(attempt)));
  expect(most).toBe(2);
});

test('an attempt that throws makes room for the next', async () => {
  const inFlight = openInFlight(1, noStop);
  const failed = inFlight(() => Promise.reject(new Error('broken')));
  const next = inFlight(async () => 'made');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('made');
});

test('a stop ends queued attempts at once, and lets the one in flight finish', async () => {
  const controller = new AbortController();
  const inFlight = openInFlight(1, controller.signal);
  const { promise: finished, resolve: finish } = Promise.withResolvers<string>();
  const running = inFlight(() => finished);
  const queued = inFlight(() => expect.unreachable('it left'));
  controller.abort(new Error('over'));
  await expect(queued).rejects.toThrow('over');
  await expect(inFlight(() => expect.unreachable('it left'))).rejects.toThrow('over');
  finish('answered');
  expect(await running).toBe('answered');
});

test('an attempt that stops the run lets no other leave', async () => {
  const controller = new AbortController();
  const inFlight = openInFlight(2, controller.signal);
  let made = 0;
  const attempt = async () => {
    made += 1;
    await nextTurn();
    controller.abort(new Error('refused'));
  };
  await Promise.allSettled(Array.from({ length: 20 }, () => inFlight(attempt)));
  expect(made).toBe(2);
});

test('whatever happens, nothing is queued while there is room, first come, first served', async () => {
  const step = fc.constantFrom('ask', 'finish', 'pause');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (places, steps) => {
      const inFlight = openInFlight(places, noStop);
      const begun: number[] = [];
      const running: (() => void)[] = [];
      let asked = 0;
      for (const what of steps) {
        if (what === 'ask') {
          const number = asked;
          asked += 1;
          void inFlight(() => {
            begun.push(number);
            return new Promise<void>((resolve) => void running.push(resolve));
          });
        } else if (what === 'finish') running.shift()?.();
        else await nextTurn();
      }
      await nextTurn();
      expect(running.length).toBeLessThanOrEqual(places);
      if (running.length < places) expect(begun).toHaveLength(asked);
      expect(begun).toEqual(begun.toSorted((a, b) => a - b));
    }),
    { numRuns: 300 },
  );
});
