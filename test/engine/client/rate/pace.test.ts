import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPace } from '../../../../src/engine/client/rate/pace.ts';

const noAbort = new AbortController().signal;

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

test('turns come at even distances for as long as they are asked for', async () => {
  const pace = openPace();
  const turns: number[] = [];
  const ask = async () => {
    while (turns.length < 5) {
      await pace(100, noAbort);
      turns.push(performance.now());
    }
  };
  void ask();
  await vi.advanceTimersByTimeAsync(5_000);
  // The first timer of Bottleneck runs late by the one it needs to get going.
  const [, ...steady] = turns;
  const distances = steady.slice(1).map((at, index) => at - (steady[index] ?? 0));
  expect(distances).toEqual([100, 100, 100]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a cancelled turn leaves no timer', async () => {
  const pace = openPace();
  const controller = new AbortController();
  const first = pace(1_000, controller.signal);
  await vi.advanceTimersByTimeAsync(100);
  await first;
  const second = pace(1_000, controller.signal);
  const refused = expect(second).rejects.toThrow('not wanted');
  await vi.advanceTimersByTimeAsync(100);
  controller.abort(new Error('not wanted'));
  await refused;
  await vi.advanceTimersByTimeAsync(10);
  expect(vi.getTimerCount()).toBe(0);
});
