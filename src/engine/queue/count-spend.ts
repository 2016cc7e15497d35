import type { Call } from '../../core/contract/call.ts';
import {
  affordableCalls,
  type BudgetPeriods,
  budgetPeriods,
  type RequestEnd,
  type SharedBudget,
  type SharedRest,
  type SpentBudget,
  sharedRest,
} from '../../core/rules/budgets.ts';
import { quarterMs } from '../../core/values/calendar.ts';
import { type Price, priceFor } from '../../core/values/money.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { SpendCounts, SpendKey } from '../ledger/runs/spend.ts';
import type { Answer } from './run-queue.ts';

type Operation = Call['operation'];

/** Call inside a transaction, so two processes never reserve the same last request. */
export interface SpendCounter {
  /** Calls that the budgets pay for, with those in flight. Note bookings first. */
  roomFor(
    wanted: number,
    callsInFlight: number,
    update: SpendUpdate,
  ): { readonly calls: number; readonly spent?: SpentBudget | undefined };
  /** Returns the quarter-hour in which they count. */
  reserve(operations: readonly Operation[], update: SpendUpdate): number;
  reserveUpTo(
    operations: readonly Operation[],
    update: SpendUpdate,
  ): { readonly granted: number; readonly reservedQuarterAt: number };
  /** Reserved requests without an answer stay counted, because they may have been charged. */
  note(update: SpendUpdate, answers?: readonly CountedAnswer[]): void;
}

type CountedAnswer = Pick<Answer, 'operationToCount' | 'isUnpaid'> & {
  readonly result: Pick<Answer['result'], 'kind'> & { readonly isEmpty?: boolean };
};

export function createSpendCounter(
  { spend }: Ledger,
  { accounts, budgets, price, dearestMicros, attempts }: SpendTerms,
  owner: Pick<SpendKey, 'job' | 'runId'>,
  serviceIndex: number,
): SpendCounter {
  const account = Buffer.from(accounts[0] ?? '', 'hex');
  const add = (
    quarterAt: number,
    operation: Operation,
    counts: Partial<SpendCounts>,
    /** Requests that cost their price. */
    paid: Partial<Pick<SpendCounts, 'micros' | 'charged' | 'misspent'>> = {},
  ) => {
    const { each, currency } = priceFor(price, operation);
    const key = { quarterAt, operation, ...owner, account, currency };
    const { micros = 0, charged = 0, misspent = 0 } = paid;
    spend.add(key, {
      ...counts,
      micros: micros * each,
      charged: charged * each,
      misspent: misspent * each,
    });
  };

  const book = ({ bookings }: SpendUpdate) => {
    for (const { serviceIndex: booked, operation, quarterAt, end } of bookings) {
      if (booked !== serviceIndex) continue;
      if (end === 'free') add(quarterAt, operation, { free: 1 });
      else if (end === 'unpaid') add(quarterAt, operation, { unpaid: 1 }, { micros: -1 });
      else add(quarterAt, operation, { requests: -1 }, { micros: -1 });
    }
  };

  const periods = new Map<string, BudgetPeriods>();
  // Cached, because computing when a day starts and ends takes over 1 ms.
  const periodsAt = (atMs: number, timezone: string): BudgetPeriods => {
    const known = periods.get(timezone);
    if (known && atMs >= known.day.fromMs && atMs < known.day.untilMs) return known;
    const computed = budgetPeriods(atMs, timezone);
    periods.set(timezone, computed);
    return computed;
  };

  const leastLeft = ({ atMs }: SpendUpdate): SharedRest => {
    let least: SharedRest = { left: Number.POSITIVE_INFINITY };
    for (const budget of budgets) {
      const { perDay, perMonth, timezone, currency } = budget;
      if (perDay === undefined && perMonth === undefined) continue;
      const { day, month } = periodsAt(atMs, timezone);
      const counted = perMonth === undefined ? day : month;
      const used = spend.spentIn(budget.accounts, counted, day, currency);
      const left = sharedRest(budget, used, { day, month }, dearestMicros);
      if (left.left < least.left) least = left;
    }
    return least;
  };

  const reserve = (operations: readonly Operation[], { atMs }: SpendUpdate): number => {
    const quarterAt = quarterOf(atMs);
    for (const [operation, { length }] of Map.groupBy(operations, (one) => one)) {
      add(quarterAt, operation, { requests: length }, { micros: length });
    }
    return quarterAt;
  };

  return {
    roomFor(wanted, callsInFlight, update) {
      const { left, spent } = leastLeft(update);
      // If the budget of the start is used up, the day or month behind it may be, too: say which.
      if (wanted === 0 || spent) return { calls: 0, spent };
      return { calls: Math.min(wanted, left, affordableCalls(left, callsInFlight, attempts)) };
    },
    reserve,
    reserveUpTo(operations, update) {
      book(update);
      const granted =
        operations.length === 0 ? 0 : Math.min(operations.length, leastLeft(update).left);
      return { granted, reservedQuarterAt: reserve(operations.slice(0, granted), update) };
    },
    note(update, answers = []) {
      book(update);
      for (const [operation, some] of Map.groupBy(
        answers,
        ({ operationToCount }) => operationToCount,
      )) {
        if (operation === undefined) continue;
        const countsOf = (of: readonly CountedAnswer[]) => {
          const count = (...wanted: Answer['result']['kind'][]) =>
            of.filter(({ result }) => wanted.includes(result.kind)).length;
          const empty = of.filter(({ result }) => result.isEmpty).length;
          const rejected = count('invalid', 'oversized', 'unreadable');
          return { hits: count('hit') - empty, misses: count('miss') + empty, rejected };
        };
        const { hits, misses, rejected } = countsOf(some.filter(({ isUnpaid }) => !isUnpaid));
        const paid = { charged: hits + misses + rejected, misspent: misses };
        add(quarterOf(update.atMs), operation, countsOf(some), paid);
      }
    },
  };
}

function quarterOf(atMs: number) {
  return Math.floor(atMs / quarterMs) * quarterMs;
}

/** Plain data, because it may go to another thread. */
export interface SpendTerms {
  /** In hexadecimal. New requests count for the first. */
  readonly accounts: readonly string[];
  /** The budget of the job, over all of its services, and that of this service. */
  readonly budgets: readonly (SharedBudget & { readonly accounts: readonly string[] })[];
  readonly price: Price | undefined;
  /** The highest price of a request that the job makes. */
  readonly dearestMicros: number;
  readonly attempts: number;
}

export interface SpendUpdate {
  readonly atMs: number;
  readonly bookings: readonly Booking[];
}

export interface Booking {
  readonly serviceIndex: number;
  readonly operation: Operation;
  readonly quarterAt: number;
  readonly end: RequestEnd;
}
