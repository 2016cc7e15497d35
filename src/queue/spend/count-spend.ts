import type { CallRequest } from '../../contract/call.ts';
import { isLookupSlot } from '../../ledger/file/locks.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { SpendCounts } from '../../ledger/runs/spend.ts';
import { affordableCalls } from '../../rules/affordable-calls.ts';
import {
  type BudgetPeriods,
  budgetPeriods,
  type SharedBudget,
  type SharedRest,
  type SpentBudget,
  sharedRest,
} from '../../rules/shared-budget.ts';
import { quarterMs } from '../../runtime/budget/calendar.ts';
import { microsFor, type Price } from '../../runtime/budget/money.ts';

type Operation = CallRequest['operation'];

/**
 * Counts requests in the ledger, for all processes with the same key. Everything happens inside the
 * transaction of the caller, so that two processes never reserve the same last request.
 */
export function openSpendCounter(
  { spend }: Ledger,
  { account, budget, price, attempts }: SpendTerms,
  owner: { readonly job: string; readonly runId: number },
) {
  const accountBytes = Buffer.from(account, 'hex');
  const runId = isLookupSlot(owner.job) ? 0 : owner.runId;
  const add = (quarterAt: number, operation: Operation, change: Partial<SpendCounts>) => {
    const currency = price?.currency ?? '';
    const place = { quarterAt, operation, runId, job: owner.job, account: accountBytes, currency };
    const { requests = 0 } = change;
    spend.add(place, { ...change, micros: price ? requests * microsFor(price, operation) : 0 });
  };

  const takeBack = (refunds: readonly Refund[]) => {
    for (const { quarterAt, operation, requests } of refunds) {
      add(quarterAt, operation, { requests: -requests, refunded: requests });
    }
  };

  let periods: BudgetPeriods | undefined;
  // Finding a day takes over a millisecond, so the one found last is kept until it ends.
  const periodsAt = (atMs: number): BudgetPeriods => {
    const isKnown = periods && periods.day.fromMs <= atMs && atMs < periods.day.untilMs;
    if (!periods || !isKnown) periods = budgetPeriods(atMs, budget.timezone);
    return periods;
  };

  const rest = (atMs: number): SharedRest => {
    const { perDay, perMonth } = budget;
    if (perDay === undefined && perMonth === undefined) return { left: Number.POSITIVE_INFINITY };
    const { day, month } = periodsAt(atMs);
    const used = spend.requestsIn(accountBytes, perMonth === undefined ? day : month, day);
    return sharedRest(budget, used, { day, month });
  };

  const reserve = (operations: readonly Operation[], { atMs }: Charge) => {
    const quarterAt = quarterOf(atMs);
    for (const [operation, { length }] of Map.groupBy(operations, (one) => one)) {
      add(quarterAt, operation, { requests: length });
    }
    return quarterAt;
  };

  return {
    /** Takes refunds back, then gives how many of the wanted calls may be leased. */
    roomFor(wanted: number, callsInFlight: number, { atMs, refunds }: Charge) {
      takeBack(refunds);
      if (wanted === 0) return { calls: 0 };
      const { left, spent } = rest(atMs);
      if (spent) return { calls: 0, spent };
      return { calls: Math.min(wanted, left, affordableCalls({ left }, callsInFlight, attempts)) };
    },
    /** Reserves a request for each leased call, and gives the quarter in which it counts. */
    reserve,
    /** Reserves requests for further attempts, as many as the budget has. */
    reserveUpTo(operations: readonly Operation[], charge: Charge): Reserved {
      takeBack(charge.refunds);
      const { left, spent } = operations.length === 0 ? { left: 0 } : rest(charge.atMs);
      const granted = Math.min(operations.length, left);
      const quarterAt = reserve(operations.slice(0, granted), charge);
      return { granted, quarterAt, ...(spent && { spent }) };
    },
    /** Notes what charged requests have brought: with those that brought nothing they are all of them. */
    noteAnswers(
      answers: readonly { readonly operation: Operation; readonly kind: string }[],
      { atMs }: Charge,
    ) {
      for (const [operation, some] of Map.groupBy(answers, (answer) => answer.operation)) {
        const of = (wanted: string) => some.filter(({ kind }) => kind === wanted).length;
        const [hits, misses] = [of('hit'), of('miss')];
        add(quarterOf(atMs), operation, { hits, misses, failed: some.length - hits - misses });
      }
    },
  };
}

function quarterOf(atMs: number): number {
  return Math.floor(atMs / quarterMs) * quarterMs;
}

/** How the requests of a job are counted. Plain data, so that it can go to another thread. */
export interface SpendTerms {
  /** The account that is charged, as a hash. */
  readonly account: string;
  readonly budget: SharedBudget;
  readonly price: Price | undefined;
  /** How often a call may be tried. */
  readonly attempts: number;
}

/** Requests that were reserved and are not charged. */
export interface Refund {
  readonly operation: CallRequest['operation'];
  /** The quarter of an hour in which they were reserved. */
  readonly quarterAt: number;
  readonly requests: number;
}

/** What the count of requests needs to know at a commit. */
export interface Charge {
  /** The time by the clock of the run. */
  readonly atMs: number;
  readonly refunds: readonly Refund[];
}

export interface Reserved {
  /** How many of the wanted requests were reserved, the first ones first. */
  readonly granted: number;
  /** The quarter of an hour in which they count; undefined in a queue that counts no requests. */
  readonly quarterAt?: number;
  /** The budget that is spent, where one is. */
  readonly spent?: SpentBudget;
}
