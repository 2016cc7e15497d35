import type { CallRequest } from '../../core/contract/call.ts';
import {
  affordableCalls,
  type BudgetPeriods,
  budgetPeriods,
  type SharedBudget,
  type SharedRest,
  sharedRest,
} from '../../core/rules/shared-budget.ts';
import { quarterMs } from '../../core/runtime/budget/calendar.ts';
import { type Price, priceFor } from '../../core/runtime/budget/money.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { SpendCounts, SpendKey } from '../ledger/runs/progress.ts';
import type { Answer } from './run-queue.ts';

type Operation = CallRequest['operation'];

/** Call inside a transaction, so two processes never reserve the same last request. */
export function createSpendCounter(
  { spend }: Ledger,
  { accounts, budget, price, attempts }: SpendTerms,
  owner: Pick<SpendKey, 'job' | 'runId'>,
) {
  const account = Buffer.from(accounts[0] ?? '', 'hex');
  const add = (quarterAt: number, operation: Operation, change: Partial<SpendCounts>) => {
    const { each, currency } = priceFor(price, operation);
    const key = { quarterAt, operation, ...owner, account, currency };
    const { requests = 0, hits = 0, misses = 0, rejected = 0 } = change;
    const charged = (hits + misses + rejected) * each;
    spend.add(key, { ...change, micros: requests * each, charged });
  };

  const takeBack = ({ refunds }: Charge) => {
    for (const { operation, quarterAt, isFree } of refunds) {
      add(quarterAt, operation, isFree ? { free: 1 } : { requests: -1 });
    }
  };

  let periods: BudgetPeriods | undefined;
  // Cached, because computing when a day starts and ends takes over 1 ms.
  const periodsAt = (atMs: number): BudgetPeriods => {
    if (!periods || atMs < periods.day.fromMs || atMs >= periods.day.untilMs)
      periods = budgetPeriods(atMs, budget.timezone);
    return periods;
  };

  const rest = ({ atMs }: Charge): SharedRest => {
    const { perDay, perMonth } = budget;
    if (perDay === undefined && perMonth === undefined) return { left: Number.POSITIVE_INFINITY };
    const { day, month } = periodsAt(atMs);
    const used = spend.requestsIn(accounts, perMonth === undefined ? day : month, day);
    return sharedRest(budget, used, { day, month });
  };

  const reserve = (operations: readonly Operation[], { atMs }: Charge): number => {
    const quarterAt = quarterOf(atMs);
    for (const [operation, { length }] of Map.groupBy(operations, (one) => one)) {
      add(quarterAt, operation, { requests: length });
    }
    return quarterAt;
  };

  return {
    roomFor(wanted: number, callsInFlight: number, charge: Charge) {
      takeBack(charge);
      if (wanted === 0) return { calls: 0 };
      const { left, spent } = rest(charge);
      if (spent) return { calls: 0, spent };
      return { calls: Math.min(wanted, left, affordableCalls({ left }, callsInFlight, attempts)) };
    },
    reserve,
    reserveUpTo(operations: readonly Operation[], charge: Charge) {
      takeBack(charge);
      const granted = operations.length === 0 ? 0 : Math.min(operations.length, rest(charge).left);
      return { granted, reserved: reserve(operations.slice(0, granted), charge) };
    },
    /** Reserved requests without an answer stay counted, because they may have been charged. */
    noteAnswers(answers: readonly Answer[], { atMs }: Charge) {
      for (const [operation, some] of Map.groupBy(answers, ({ charged }) => charged)) {
        if (operation === undefined) continue;
        const of = (...wanted: Answer['result']['kind'][]) =>
          some.filter(({ result }) => wanted.includes(result.kind)).length;
        const rejected = of('invalid', 'oversized');
        add(quarterOf(atMs), operation, { hits: of('hit'), misses: of('miss'), rejected });
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
  readonly budget: SharedBudget;
  readonly price: Price | undefined;
  readonly attempts: number;
}

export interface Charge {
  readonly atMs: number;
  /** Requests that were not sent, or were sent but are free. */
  readonly refunds: readonly {
    readonly operation: Operation;
    readonly quarterAt: number;
    readonly isFree?: boolean;
  }[];
}
