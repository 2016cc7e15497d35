import type { CallRequest } from '../../contract/call.ts';
import { isLookupSlot } from '../../ledger/file/locks.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { SpendCounts, SpendPlace } from '../../ledger/runs/spend.ts';
import { affordableCalls } from '../../rules/affordable-calls.ts';
import {
  type BudgetPeriods,
  budgetPeriods,
  type SharedRest,
  sharedRest,
} from '../../rules/shared-budget.ts';
import { quarterMs } from '../../runtime/budget/calendar.ts';
import { microsFor } from '../../runtime/budget/money.ts';
import type { Answer } from '../run-queue.ts';
import type { Charge, Refund, Reserved, SpendTerms } from './spend-terms.ts';

type Operation = CallRequest['operation'];

/**
 * Counts requests in the ledger, for all processes with the same key. Everything happens inside the
 * transaction of the caller, so that two processes never reserve the same last request.
 */
export interface SpendCounter {
  /** Takes refunds back, then gives how many of the wanted calls may be leased. */
  roomFor(wanted: number, callsInFlight: number, charge: Charge): Room;
  /** Reserves a request for each leased call, and gives the quarter in which it counts. */
  reserve(operations: readonly Operation[], charge: Charge): number;
  /** Reserves requests for further attempts, as many as the budget has. */
  reserveUpTo(operations: readonly Operation[], charge: Charge): Reserved;
  /** Notes what charged requests have brought: with those that brought nothing they are all of them. */
  noteAnswers(answers: readonly CountedAnswer[], charge: Charge): void;
}

interface Room extends Pick<SharedRest, 'spent'> {
  readonly calls: number;
}

interface CountedAnswer extends Pick<Answer, 'outcome'> {
  readonly operation: Operation;
}

export function openSpendCounter(
  { spend }: Pick<Ledger, 'spend'>,
  { account, budget, price, attempts }: SpendTerms,
  owner: { readonly job: string; readonly runId: number },
): SpendCounter {
  const accountBytes = Buffer.from(account, 'hex');
  const runId = isLookupSlot(owner.job) ? 0 : owner.runId;
  const add = (quarterAt: number, operation: Operation, change: Partial<SpendCounts>) => {
    const place: SpendPlace = {
      ...{ quarterAt, operation, runId, job: owner.job, account: accountBytes },
      currency: price?.currency ?? '',
    };
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
    for (const [operation, requests] of countEach(operations)) {
      add(quarterAt, operation, { requests });
    }
    return quarterAt;
  };

  return {
    roomFor(wanted, callsInFlight, { atMs, refunds }) {
      takeBack(refunds);
      if (wanted === 0) return { calls: 0 };
      const { left, spent } = rest(atMs);
      if (spent) return { calls: 0, spent };
      return { calls: Math.min(wanted, left, affordableCalls({ left }, callsInFlight, attempts)) };
    },
    reserve,
    reserveUpTo(operations, charge) {
      takeBack(charge.refunds);
      const { left, spent } = operations.length === 0 ? { left: 0 } : rest(charge.atMs);
      const granted = Math.min(operations.length, left);
      const quarterAt = reserve(operations.slice(0, granted), charge);
      return { granted, quarterAt, ...(spent && { spent }) };
    },
    noteAnswers(answers, { atMs }) {
      const byOperation = Map.groupBy(answers, ({ operation }) => operation);
      for (const [operation, some] of byOperation) {
        const of = (kind: 'hit' | 'miss') =>
          some.filter(({ outcome }) => outcome.kind === kind).length;
        const [hits, misses] = [of('hit'), of('miss')];
        add(quarterOf(atMs), operation, { hits, misses, failed: some.length - hits - misses });
      }
    },
  };
}

function quarterOf(atMs: number): number {
  return Math.floor(atMs / quarterMs) * quarterMs;
}

function countEach(operations: readonly Operation[]): Map<Operation, number> {
  const counts = new Map<Operation, number>();
  for (const operation of operations) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  return counts;
}
