import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPace } from '../../../src/client/rate/pace.ts';
import { systemClock } from '../../../src/runtime/clock.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
);
afterEach(() => void vi.useRealTimers());

test('turns come at even distances for as long as they are asked for', async () => {
  const pace = openPace(100, systemClock);
  const turns: number[] = [];
  const onTurn = () => {
    turns.push(performance.now());
    if (turns.length < 5) pace.next(100, onTurn);
  };
  pace.next(100, onTurn);
  await vi.advanceTimersByTimeAsync(5_000);
  // The first timer of Bottleneck runs late by the one it needs to get going.
  const [, ...steady] = turns;
  const distances = steady.slice(1).map((at, index) => at - (steady[index] ?? 0));
  expect(distances).toEqual([100, 100, 100]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a second question before the turn has come is the same question', async () => {
  const pace = openPace(100, systemClock);
  let turns = 0;
  const onTurn = () => {
    turns += 1;
  };
  pace.next(100, onTurn);
  pace.next(100, onTurn);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(turns).toBe(1);
});

test('a cancelled turn does not come and leaves no timer', async () => {
  const pace = openPace(1_000, systemClock);
  let turns = 0;
  const onTurn = () => {
    turns += 1;
  };
  pace.next(1_000, onTurn);
  await vi.advanceTimersByTimeAsync(100);
  pace.next(1_000, onTurn);
  await vi.advanceTimersByTimeAsync(100);
  pace.cancel();
  await vi.advanceTimersByTimeAsync(10);
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(turns).toBe(1);
});
