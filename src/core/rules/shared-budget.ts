import { dayAt, monthAt, type Period } from '../runtime/budget/calendar.ts';

/** Limits on charged requests with one API key, across all processes on a ledger. */
export interface SharedBudget {
  readonly perDay?: number | undefined;
  readonly perMonth?: number | undefined;
  readonly timezone: string;
}

export interface SpentBudget {
  readonly per: 'day' | 'month';
  readonly limit: number;
  readonly used: number;
  readonly period: string;
  readonly freeAtMs: number;
  readonly timezone: string;
}

export interface SharedRest {
  readonly left: number;
  readonly spent?: SpentBudget;
}

export interface BudgetPeriods {
  readonly day: Period;
  readonly month: Period;
}

export function budgetPeriods(atMs: number, timezone: string): BudgetPeriods {
  return { day: dayAt(atMs, timezone), month: monthAt(atMs, timezone) };
}

export function sharedRest(
  { perDay, perMonth, timezone }: SharedBudget,
  requests: { readonly day: number; readonly month: number },
  { day, month }: BudgetPeriods,
): SharedRest {
  const limits = [
    { per: 'month', limit: perMonth, used: requests.month, period: month },
    { per: 'day', limit: perDay, used: requests.day, period: day },
  ] as const;
  let left = Number.POSITIVE_INFINITY;
  for (const { per, limit, used, period } of limits) {
    if (limit === undefined) continue;
    left = Math.min(left, Math.max(0, limit - used));
    if (left > 0) continue;
    const facts = { period: period.name, freeAtMs: period.untilMs, timezone };
    return { left: 0, spent: { per, limit, used, ...facts } };
  }
  return { left };
}

/** Leaves room for all retries of each call: a call without budget for a retry stays open. */
export function affordableCalls(
  { left }: { readonly left: number },
  callsInFlight: number,
  attempts: number,
): number {
  const calls = Math.floor((left - callsInFlight * (attempts - 1)) / attempts);
  return Math.max(callsInFlight === 0 ? 1 : 0, calls);
}
