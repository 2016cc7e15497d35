import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOffMs, limitAttempts } from '../../src/client/send-call.ts';

const noStop = new AbortController().signal;

test('no more attempts run at once than allowed', async () => {
  const limit = limitAttempts(2, noStop);
  let running = 0;
  let most = 0;
  const attempt = async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => limit(attempt)));
  expect(most).toBe(2);
});

test('an attempt that throws makes room for the next', async () => {
  const limit = limitAttempts(1, noStop);
  const failed = limit(() => Promise.reject(new Error('broken')));
  const next = limit(async () => 'made');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('made');
});

test('a stop ends queued attempts at once, and lets the running one finish', async () => {
  const controller = new AbortController();
  const limit = limitAttempts(1, controller.signal);
  const { promise: finished, resolve: finish } = Promise.withResolvers<string>();
  const running = limit(() => finished);
  const queued = limit(() => expect.unreachable('it left'));
  controller.abort(new Error('over'));
  await expect(queued).rejects.toThrow('over');
  await expect(limit(() => expect.unreachable('it left'))).rejects.toThrow('over');
  finish('answered');
  expect(await running).toBe('answered');
});

test('an attempt that stops the run lets no other leave', async () => {
  const controller = new AbortController();
  const limit = limitAttempts(2, controller.signal);
  let made = 0;
  const attempt = async () => {
    made += 1;
    await nextTurn();
    controller.abort(new Error('refused'));
  };
  await Promise.allSettled(Array.from({ length: 20 }, () => limit(attempt)));
  expect(made).toBe(2);
});

test('whatever happens, nothing is queued while there is room, first come, first served', async () => {
  const step = fc.constantFrom('ask', 'finish', 'pause');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (places, steps) => {
      const limit = limitAttempts(places, noStop);
      const begun: number[] = [];
      const running: (() => void)[] = [];
      let asked = 0;
      for (const what of steps) {
        if (what === 'ask') {
          const number = asked;
          asked += 1;
          void limit(() => {
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

test('the longest wait doubles with each attempt, up to half a minute', () => {
  const longest = [1, 2, 3, 4, 7, 20].map((attempt) => backOffMs(attempt, () => 1));
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 30_000, 30_000]);
});

test('the wait may be anything down to nothing', () => {
  expect([0, 0.25, 0.5].map((share) => backOffMs(3, () => share))).toEqual([0, 500, 1_000]);
});
