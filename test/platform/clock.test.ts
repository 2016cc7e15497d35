import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';

afterEach(() => void vi.useRealTimers());

test('a sleep longer than a timer can be does not end at once', async () => {
  vi.useFakeTimers();
  const days = 24 * 3_600_000;
  let isAwake = false;
  const sleep = systemClock.sleep(60 * days).then(() => {
    isAwake = true;
  });
  await vi.advanceTimersByTimeAsync(24 * days);
  expect(isAwake).toBe(false);
  await vi.advanceTimersByTimeAsync(days);
  await sleep;
});
