import { expect, test } from 'vitest';
import { backOffMs } from '../../../src/engine/client/send-call.ts';

test('the longest wait doubles with each attempt, up to half a minute', () => {
  const longest = [1, 2, 3, 4, 7, 20].map((attempt) => backOffMs(attempt, () => 1));
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 30_000, 30_000]);
});

test('the wait may be anything down to nothing', () => {
  expect([0, 0.25, 0.5].map((share) => backOffMs(3, () => share))).toEqual([0, 500, 1_000]);
});
