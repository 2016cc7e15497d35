import { expect, test } from 'vitest';
import {
  haveVanished,
  isGone,
  type Misses,
  missAgeMs,
} from '../../../src/core/rules/known-company.ts';

const hour = 3_600_000;
const missed = (count: number, hours: number) => ({ count, forMs: hours * hour, firstId: 7 });

test.each<[string, Misses, boolean, boolean, boolean?]>([
  ['again', missed(2, 24), false, false],
  ['again, another was found since', missed(2, 24), true, true],
  ['again, only by a trial', missed(2, 24), true, false, true],
  ['once, another was found since', missed(1, 0), true, false],
  ['three times within two days', missed(3, 47), false, false],
  ['three times over two days', missed(3, 48), false, true],
  ['twice over two days', missed(2, 48), false, false],
])('a company that is missed %s', (_, misses, hasFoundSince, expected, isTrial = false) => {
  expect(isGone(misses, hasFoundSince, isTrial)).toBe(expected);
});

test.each([
  [5, 4, false],
  [5, 5, true],
  [10, 5, true],
  [3_000, 1_499, false],
  [3_000, 1_500, true],
])('of %i known companies %i that vanish are a reason to hold: %s', (known, missing, isHeld) => {
  expect(haveVanished(known, missing)).toBe(isHeld);
});

test.each([
  [1, 0, 20],
  [2, 24, 24],
  [2, 40, 20],
  [3, 60, 20],
])(
  'after %i misses over %i hours, a kept company is asked again after %i',
  (count, over, after) => {
    expect(missAgeMs(missed(count, over))).toBe(after * hour);
  },
);
