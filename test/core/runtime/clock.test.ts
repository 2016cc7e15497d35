import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/core/runtime/clock.ts';

afterEach(() => void vi.useRealTimers());

test('a sleep longer than a timer can be does not end at once', async () => {
  vi.useFakeTimers();
  const days = 24 * 3_600_000;
  let isAwake = false;
  const sleep = systemClock.sleep(60 * days).then(() => {
    isAwake = true;
  });
  await vi.advanceTimersByTimeAsync(59 * days);
  expect(isAwake).toBe(false);
  await vi.advanceTimersByTimeAsync(days);
  await sleep;
});

test('an abort wakes with its reason and leaves no timer', async () => {
  vi.useFakeTimers();
  const controller = new AbortController();
  const sleep = systemClock.sleep(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(sleep).rejects.toThrow('enough');
  expect(vi.getTimerCount()).toBe(0);
});
