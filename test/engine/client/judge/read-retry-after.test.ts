import { expect, test } from 'vitest';
import { readRetryAfter } from '../../../../src/engine/client/judge/read-retry-after.ts';

const now = Date.parse('2026-08-22T10:00:00Z');

test.each([
  ['2', 2_000],
  [' 120 ', 120_000],
  ['1.5', 1_500],
  ['99999999999999999999', 1e23],
  ['Sat, 22 Aug 2026 10:00:30 GMT', 30_000],
  ['Saturday, 22-Aug-26 10:00:30 GMT', 30_000],
  ['Sat Aug 22 10:00:30 2026 GMT', 30_000],
])('%j is a wait of %i ms', (text, waitMs) => {
  expect(readRetryAfter({ 'retry-after': text }, now)).toBe(waitMs);
});

test.each(['0', '-5', '', 'soon', '1e3', 'Sat, 22 Aug 2026 09:59:00 GMT', '2026-08-22', 'NaN'])(
  '%j names no wait',
  (text) => expect(readRetryAfter({ 'retry-after': text }, now)).toBeUndefined(),
);

test('a date is read against the clock of the service, not ours', () => {
  const headers = {
    date: 'Sat, 22 Aug 2026 11:00:00 GMT',
    'retry-after': 'Sat, 22 Aug 2026 11:00:10 GMT',
  };
  expect(readRetryAfter(headers, now)).toBe(10_000);
});

test('of several headers the first counts', () => {
  expect(readRetryAfter({ 'retry-after': ['3', '9'] }, now)).toBe(3_000);
});
