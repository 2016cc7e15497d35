import { dayAt, monthAt, type Period } from '../runtime/budget/calendar.ts';

/** The most requests that all processes on a ledger may be charged for with one key. */
export interface SharedBudget {
  readonly perDay?: number | undefined;
  readonly perMonth?: number | undefined;
  readonly timezone: string;
}

/** A budget of which nothing is left. */
export interface SpentBudget {
  readonly per: 'day' | 'month';
  readonly limit: number;
  readonly used: number;
  /** Name of the day or month. */
  readonly period: string;
  /** When there are requests again. */
  readonly freeAtMs: number;
  readonly timezone: string;
}

/** What may still be reserved, and which budget says so. */
export interface SharedRest {
  readonly left: number;
  /** Set where nothing is left. */
  readonly spent?: SpentBudget;
}

/** The periods that the budgets of a moment count. */
export interface BudgetPeriods {
  readonly day: Period;
  readonly month: Period;
}

export function budgetPeriods(atMs: number, timezone: string): BudgetPeriods {
  return { day: dayAt(atMs, timezone), month: monthAt(atMs, timezone) };
}

/** What is left after what was used of the day and of the month. */
export function sharedRest(
  { perDay, perMonth, timezone }: SharedBudget,
  used: { readonly day: number; readonly month: number },
  { day, month }: BudgetPeriods,
): SharedRest {
  const limits = [
    { per: 'month', limit: perMonth, used: used.month, period: month },
    { per: 'day', limit: perDay, used: used.day, period: day },
  ] as const;
  let left = Number.POSITIVE_INFINITY;
  for (const { per, limit, used: some, period } of limits) {
    if (limit === undefined) continue;
    left = Math.min(left, Math.max(0, limit - some));
    if (left > 0) continue;
    const facts = { period: period.name, freeAtMs: period.untilMs, timezone };
    return { left: 0, spent: { per, limit, used: some, ...facts } };
  }
  return { left };
}

/**
 * How many more calls may be made, so that each can have all its attempts: calls that are cut short by the
 * budget stay open, and the same ones at every start would keep a job from ever going on. One call alone
 * may be made in any case.
 */
export function affordableCalls(
  { left }: { readonly left: number },
  callsInFlight: number,
  attempts: number,
): number {
  const calls = Math.floor((left - callsInFlight * (attempts - 1)) / attempts);
  return Math.max(callsInFlight === 0 ? 1 : 0, calls);
}
