import { expect, test } from 'vitest';
import { affordableCalls, leftOf, requestsFor } from '../../../src/core/rules/budgets.ts';

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

test.each([
  [12, 0, 4, 3],
  [12, 4, 4, 0],
  [3, 0, 4, 1],
  [forever, 9, 4, forever],
])(
  'with %d requests left and %d calls in flight of %d attempts, %d may be made',
  (left, calls, attempts, more) => {
    expect(affordableCalls(left, calls, attempts)).toBe(more);
  },
);
