import { expect, test } from 'vitest';
import { openRequestBudget } from '../../../src/run/calls/request-budget.ts';

test('no more is reserved than there is, and what is given back can be reserved again', () => {
  const budget = openRequestBudget(5);
  expect(budget.reserveUpTo(3)).toBe(3);
  expect(budget.reserve()).toBe(true);
  expect(budget.reserveUpTo(3)).toBe(1);
  expect(budget.reserve()).toBe(false);
  expect(budget.spent).toBe(5);
  budget.refund(2);
  expect(budget.reserveUpTo(3)).toBe(2);
  expect(budget.spent).toBe(5);
});

test('without a budget everything can be reserved, and is counted', () => {
  const budget = openRequestBudget();
  expect(budget.reserveUpTo(1_000)).toBe(1_000);
  expect(budget.spent).toBe(1_000);
});
