import { dayAt, monthAt, type Period } from '../values/calendar.ts';

/** Limits on charged requests of accounts, or on their price, across all processes on a ledger. */
export interface SharedBudget {
  /** The limits are in millionths of this currency. Absent: in requests. */
  readonly currency?: string;
  /** Absent for the budget of a job. */
  readonly service?: string;
  readonly perDay?: number | undefined;
  readonly perMonth?: number | undefined;
  readonly timezone: string;
}

export interface SpentBudget extends Pick<SharedBudget, 'currency' | 'service'> {
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
  { perDay, perMonth, timezone, ...budget }: SharedBudget,
  /** In the unit of the budget. */
  spent: { readonly day: number; readonly month: number },
  { day, month }: BudgetPeriods,
  /** What the dearest request costs, in the unit of the budget. */
  each = 1,
): SharedRest {
  const limits = [
    { per: 'month', limit: perMonth, used: spent.month, period: month },
    { per: 'day', limit: perDay, used: spent.day, period: day },
  ] as const;
  let left = Number.POSITIVE_INFINITY;
  for (const { per, limit, used, period } of limits) {
    if (limit === undefined) continue;
    left = Math.min(left, Math.max(0, Math.floor((limit - used) / (each || 1))));
    if (left > 0) continue;
    const facts = { period: period.name, freeAtMs: period.untilMs, timezone };
    const { currency, service } = budget;
    const of = { ...(currency && { currency }), ...(service && { service }) };
    return { left: 0, spent: { per, limit, used, ...facts, ...of } };
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
