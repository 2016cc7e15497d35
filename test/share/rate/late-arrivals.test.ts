import { expect, test } from 'vitest';
import { openLateArrivals } from '../../../src/share/rate/late-arrivals.ts';

test('an answer that takes longer than most shows how late its request may have arrived', () => {
  const arrivals = openLateArrivals();
  // Of the first few nobody knows what is usual.
  expect(arrivals.lateMs(500)).toBe(0);
  for (let answer = 0; answer < 100; answer += 1) {
    expect(arrivals.lateMs(30 + (answer % 3))).toBe(0);
  }
  expect(arrivals.lateMs(80)).toBe(48);
  expect(arrivals.lateMs(20)).toBe(0);
  // A slow answer does not hold its place for as long as it took.
  expect(arrivals.lateMs(20_000)).toBe(100);
});

test('answers that differ much by themselves cost a hundredth of the rate at most', () => {
  const arrivals = openLateArrivals();
  const answers = 10_000;
  let lateMs = 0;
  for (let answer = 0; answer < answers; answer += 1) {
    lateMs += arrivals.lateMs(50 + ((answer * 7_919) % 2_000));
  }
  expect(lateMs / answers).toBeLessThan(11);
});
