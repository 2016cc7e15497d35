import { expect, test } from 'vitest';
import {
  type CompanyHistory,
  companyState,
  haveVanished,
  missAgeMs,
} from '../../../src/core/rules/known-company.ts';

const hour = 3_600_000;
const missed = (count: number, hours: number) => ({ count, forMs: hours * hour, firstId: 7 });

test.each<[string, CompanyHistory, string]>([
  ['is found again', { isFound: true, misses: missed(5, 99), foundId: 9 }, 'known'],
  ['is missed first', { isPublished: true }, 'kept'],
  ['is missed like many others', { isPublished: true, areManyMissing: true }, 'vanished'],
  ['is missed again', { misses: missed(2, 24), foundId: 6 }, 'kept'],
  ['is missed again, another was found since', { misses: missed(2, 24), foundId: 8 }, 'gone'],
  ['is missed once, another was found since', { misses: missed(1, 0), foundId: 8 }, 'kept'],
  [
    'is missed again, only by a trial',
    { misses: missed(2, 24), foundId: 8, isTrial: true },
    'kept',
  ],
  ['is missed three times within two days', { misses: missed(3, 47) }, 'kept'],
  ['is missed three times over two days', { misses: missed(3, 48) }, 'gone'],
  ['is missed twice over two days', { misses: missed(2, 48) }, 'kept'],
])('a company that %s', (_, history, state) => {
  expect(companyState(history)).toBe(state);
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
