import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  beginningOfDate,
  dayAt,
  isTimezone,
  localMinute,
  monthAt,
  quarterMs,
} from '../../../src/core/values/calendar.ts';

const at = (iso: string) => Date.parse(iso);

test.each([
  [
    '2026-11-15T13:30:00Z',
    'Australia/Sydney',
    '2026-11-16',
    '2026-11-15T13:00Z',
    '2026-11-16T13:00Z',
  ],
  // Clocks are put forward on this day, which has 23 hours.
  [
    '2026-10-04T00:00:00Z',
    'Australia/Sydney',
    '2026-10-04',
    '2026-10-03T14:00Z',
    '2026-10-04T13:00Z',
  ],
  [
    '2026-11-15T00:00:00Z',
    'Asia/Kathmandu',
    '2026-11-15',
    '2026-11-14T18:15Z',
    '2026-11-15T18:15Z',
  ],
  // Clocks skip midnight, so the day begins at one o'clock.
  [
    '2026-09-06T12:00:00Z',
    'America/Santiago',
    '2026-09-06',
    '2026-09-06T04:00Z',
    '2026-09-07T03:00Z',
  ],
])('%s is in %s on %s', (moment, timezone, name, from, until) => {
  expect(dayAt(at(moment), timezone)).toEqual({ name, fromMs: at(from), untilMs: at(until) });
});

test('days and months of any time zone follow each other without a gap, on quarters of an hour', () => {
  const zones = ['UTC', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns', 'Asia/Beirut'];
  const anyMoment = fc.integer({ min: at('2020-01-01T00:00Z'), max: at('2035-01-01T00:00Z') });
  fc.assert(
    fc.property(anyMoment, fc.constantFrom(...zones, 'Pacific/Chatham'), (moment, zone) =>
      [dayAt, monthAt].every((periodAt) => {
        const { fromMs, untilMs } = periodAt(moment, zone);
        const isAround = fromMs <= moment && moment < untilMs;
        const isWhole = fromMs % quarterMs === 0 && untilMs % quarterMs === 0;
        const follows = periodAt(untilMs, zone).fromMs === untilMs;
        return isAround && isWhole && follows && periodAt(untilMs - 1, zone).fromMs === fromMs;
      }),
    ),
    { numRuns: 40 },
  );
});

test('times are shown and dates are read in the time zone', () => {
  expect(localMinute(at('2026-11-16T13:00Z'), 'Australia/Sydney')).toBe('2026-11-17 00:00');
  expect(beginningOfDate('2026-11-17', 'Australia/Sydney')).toBe(at('2026-11-16T13:00Z'));
  expect(
    ['2026-02-30', 'yesterday', '17.11.2026'].map((date) => beginningOfDate(date, 'UTC')),
  ).toEqual([undefined, undefined, undefined]);
});

test('names of time zones are known; offsets are refused, since they know no summer time', () => {
  expect(['UTC', 'Australia/Sydney', 'Mars/Base', '+10:00', ''].map(isTimezone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
