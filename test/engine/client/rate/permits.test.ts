import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPermits } from '../../../../src/engine/client/rate/permits.ts';
import { systemClock } from '../../../../src/platform/clock.ts';

const noAbort = new AbortController().signal;

/** Starts as many as the permits allow and notes when, by the monotonic clock. */
function keepStarting(rate: number, count: number, order: number[] = []) {
  const permits = openPermits(rate, systemClock);
  const starts: number[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    void Promise.resolve(permits.take(noAbort)).then((permit) => {
      order.push(asked);
      if (permit.start()) starts.push(performance.now());
    });
  }
  return { permits, starts };
}

function mostInAnyWindow(starts: readonly number[], windowMs: number): number {
  return Math.max(
    0,
    ...starts.map((from) => starts.filter((at) => at >= from && at < from + windowMs).length),
  );
}

describe('in faked time', () => {
  // Bottleneck reads the timers and the date of the process, so these are what is faked.
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  test.each([1, 50])(
    'at %i a second no second sees more, and nearly all are used',
    async (rate) => {
      const order: number[] = [];
      const { starts } = keepStarting(rate, rate * 4, order);
      await vi.advanceTimersByTimeAsync(3_000);
      expect(order).toEqual([...order.keys()]);
      expect(mostInAnyWindow(starts, 1_000)).toBeLessThanOrEqual(rate);
      expect(starts.length).toBeGreaterThanOrEqual(Math.floor(rate * 3 * 0.98));
      // They are spread evenly over the second.
      expect(mostInAnyWindow(starts.slice(1), 500)).toBeLessThanOrEqual(Math.ceil(rate * 0.6));
    },
  );

  test('giving up while waiting is immediate and leaves neither permit nor timer behind', async () => {
    const permits = openPermits(0.1, systemClock);
    const first = permits.take(noAbort);
    await vi.advanceTimersByTimeAsync(100);
    await first;
    // The first ones to give up wait for the pace, those of the second round for the window.
    for (const round of ['pace', 'window']) {
      const controller = new AbortController();
      const reason = new Error(round);
      const impatient = Promise.allSettled([
        permits.take(controller.signal),
        permits.take(controller.signal),
      ]);
      await vi.advanceTimersByTimeAsync(100);
      controller.abort(reason);
      const givenUp = { status: 'rejected', reason };
      expect(await impatient).toEqual([givenUp, givenUp]);
      await vi.advanceTimersByTimeAsync(10);
      expect(vi.getTimerCount()).toBe(0);
    }
    const patient = permits.take(noAbort);
    await vi.advanceTimersByTimeAsync(10_000);
    await expect(patient).resolves.toBeDefined();
  });

  test.each([-3_600_000, 3_600_000])(
    'a rate that was lowered stays so when the clock is set by %i ms',
    async (ms) => {
      const { permits, starts } = keepStarting(40, 400);
      await vi.advanceTimersByTimeAsync(1_500);
      permits.slowDown(0, 0, false);
      const lowered = starts.length;
      await vi.advanceTimersByTimeAsync(1_500);
      vi.setSystemTime(Date.now() + ms);
      await vi.advanceTimersByTimeAsync(3_000);
      expect(mostInAnyWindow(starts.slice(lowered), 1_000)).toBeLessThanOrEqual(30);
      expect(starts.length - lowered).toBeGreaterThanOrEqual(30);
    },
  );
});
