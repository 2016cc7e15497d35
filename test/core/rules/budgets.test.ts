import { expect, test } from 'vitest';
import {
  affordableCalls,
  budgetPeriods,
  leftOf,
  requestsFor,
  sharedRest,
} from '../../../src/core/rules/budgets.ts';

const forever = Number.POSITIVE_INFINITY;

test.each([
  [{}, {}, 120_000, forever],
  [{ requests: 9 }, { requests: 4 }, 120_000, 5],
  [{ requests: 9 }, { requests: 10 }, 120_000, 0],
  [{ micros: 500_000 }, { micros: 20_000 }, 120_000, 4],
  [{ micros: 500_000 }, { micros: 20_001 }, 120_000, 3],
  [{ micros: 500_000 }, { micros: 600_000 }, 120_000, 0],
  [{ requests: 3, micros: 500_000 }, {}, 120_000, 3],
  [{ requests: 9, micros: 500_000 }, {}, 120_000, 4],
  [{ requests: 9, micros: 500_000 }, {}, 0, 9],
])(
  'a budget of %j, of which %j is used, at %d each pays for %d requests',
  (limit, used, each, requests) => {
    expect(requestsFor(leftOf(limit, used), each)).toBe(requests);
  },
);

const periods = budgetPeriods(Date.UTC(2026, 10, 29, 13), 'Australia/Sydney');
const day = { per: 'day', period: '2026-11-30', freeAtMs: Date.UTC(2026, 10, 30, 13) };
const month = { per: 'month', period: '2026-11', freeAtMs: Date.UTC(2026, 10, 30, 13) };

test.each([
  [{}, { day: 9, month: 9 }, 1, { left: forever }],
  [{ perDay: 5, perMonth: 100 }, { day: 2, month: 9 }, 1, { left: 3 }],
  [{ perDay: 500, perMonth: 10 }, { day: 2, month: 9 }, 1, { left: 1 }],
  [{ perDay: 5 }, { day: 7, month: 9 }, 1, { left: 0, spent: { ...day, limit: 5, used: 7 } }],
  // The month is named first, as the day after does not help.
  [{ perDay: 2, perMonth: 9 }, { day: 2, month: 9 }, 1, { spent: { ...month, used: 9 } }],
  // Money that is less than the dearest request costs is none.
  [{ perDay: 700_000, currency: 'AUD' }, { day: 0, month: 0 }, 300_000, { left: 2 }],
  [
    { perDay: 200_000, currency: 'AUD' },
    { day: 0, month: 0 },
    300_000,
    { spent: { currency: 'AUD' } },
  ],
])('of %j, %j is spent, and a request costs %i', (limits, spent, each, rest) => {
  const budget = { ...limits, timezone: 'Australia/Sydney', at: 'main' };
  expect(sharedRest(budget, spent, periods, each)).toMatchObject(rest);
});

test.each([
  [12, 0, 4, 3],
  [12, 4, 4, 0],
  [3, 0, 4, 1],
  [forever, 9, 4, forever],
])(
  'with %d requests left, %d calls in flight and %d attempts, %d more may be made',
  (left, calls, attempts, more) => {
    expect(affordableCalls(left, calls, attempts)).toBe(more);
  },
);
