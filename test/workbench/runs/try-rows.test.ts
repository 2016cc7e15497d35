import { expect, test } from 'vitest';
import type { PlanJson } from '../../../src/overview/plan/plan-json.ts';
import { planOfTry } from '../../../src/workbench/runs/try-rows.ts';

const price = {
  ...{ companyMicros: 100_000, peopleMicros: 500_000, currency: 'AUD' },
  charged: 'answers',
} as const;

function planFor(least: number, mostIfFull: number): PlanJson {
  const cost = { currency: 'AUD', least: least / 10, mostIfFull: mostIfFull / 2 };
  return {
    calls: { least, mostIfFull, most: mostIfFull },
    advisedBudget: mostIfFull + 1,
    price: { ...cost, most: cost.mostIfFull, withMargin: cost.mostIfFull },
  } as PlanJson;
}

test('a try costs what its rows cost, and never more than its requests can', () => {
  expect(planOfTry(planFor(10, 10), { service: { price } })).toMatchObject({
    calls: { least: 10, mostIfFull: 10 },
    advisedBudget: 11,
    price: { least: 1, mostIfFull: 5 },
  });
  // People of many seniorities: the try is cut off, at the price of the dearest call.
  expect(planOfTry(planFor(90, 400), { service: { price } })).toMatchObject({
    calls: { least: 50, mostIfFull: 50 },
    advisedBudget: 50,
    price: { least: 9, mostIfFull: 25 },
  });
});
