import { dayAt, monthAt, type Period } from '../values/calendar.ts';
import type { Price } from '../values/money.ts';

export interface Amount {
  readonly requests: number;
  /** In millionths of the currency of a price. */
  readonly micros: number;
}

/** An absent unit is not limited. */
export type Limit = { readonly [Unit in keyof Amount]?: Amount[Unit] | undefined };

export function leftOf(limit: Limit, used: Limit = {}): Amount {
  const { requests = Infinity, micros = Infinity } = limit;
  const { requests: made = 0, micros: paid = 0 } = used;
  return { requests: Math.max(0, requests - made), micros: Math.max(0, micros - paid) };
}

export function leastOf(some: readonly Amount[]): Amount {
  return {
    requests: Math.min(...some.map(({ requests }) => requests)),
    micros: Math.min(...some.map(({ micros }) => micros)),
  };
}

/** Free requests need no money. */
export function requestsFor({ requests, micros }: Amount, each: number): number {
  return each > 0 ? Math.min(requests, Math.floor(micros / each)) : requests;
}

/** In millionths. */
export function dearestOf(price: Price | undefined, hasPeople: boolean): number {
  return Math.max(price?.companyMicros ?? 0, (hasPeople && price?.peopleMicros) || 0);
}

/** Limits on charged requests of accounts, or on their price, across all processes on a ledger. */
export interface SharedBudget {
  /** The limits are in millionths of this currency. Absent: in requests. */
  readonly currency?: string | undefined;
  /** The services whose requests count: the names in services.yaml, else hosts. */
  readonly at: string;
  /** The budget is that of the service in `at`, not that of the job. */
  readonly isOfService?: boolean;
  /** The files that set the limits. */
  readonly setIn?: Readonly<Partial<Record<'perDay' | 'perMonth', string | undefined>>>;
  readonly perDay?: number | undefined;
  readonly perMonth?: number | undefined;
  readonly timezone: string;
}

export interface SpentBudget extends Pick<SharedBudget, 'currency' | 'at' | 'isOfService'> {
  readonly per: 'day' | 'month';
  readonly limit: number;
  readonly used: number;
  readonly period: string;
  readonly freeAtMs: number;
  readonly timezone: string;
  readonly setIn?: string | undefined;
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
  { perDay, perMonth, timezone, setIn = {}, ...budget }: SharedBudget,
  /** In the unit of the budget. */
  spent: { readonly day: number; readonly month: number },
  { day, month }: BudgetPeriods,
  /** The price of the dearest request. */
  each: number,
): SharedRest {
  const limits = [
    { per: 'month', limit: perMonth, used: spent.month, period: month, file: setIn.perMonth },
    { per: 'day', limit: perDay, used: spent.day, period: day, file: setIn.perDay },
  ] as const;
  const unit = budget.currency === undefined ? 'requests' : 'micros';
  let left = Number.POSITIVE_INFINITY;
  for (const { per, limit, used, period, file } of limits) {
    if (limit === undefined) continue;
    left = Math.min(left, requestsFor(leftOf({ [unit]: limit }, { [unit]: used }), each));
    if (left > 0) continue;
    const { name, untilMs: freeAtMs } = period;
    const ofPeriod = { per, limit, used, period: name, freeAtMs, timezone, setIn: file };
    return { left: 0, spent: { ...budget, ...ofPeriod } };
  }
  return { left };
}

/**
 * How less is due for a request than was reserved. `unsent`: nothing was sent. `free`: one was sent,
 * but is not counted. `unpaid`: it is counted, but its answer costs nothing, and no budget counts it.
 */
export type RequestEnd = 'unsent' | 'free' | 'unpaid';

/** Leaves room for all retries of each call: a call without budget for a retry stays open. */
export function affordableCalls(left: number, callsInFlight: number, attempts: number): number {
  const calls = Math.floor((left - callsInFlight * (attempts - 1)) / attempts);
  return Math.max(callsInFlight === 0 ? 1 : 0, calls);
}
