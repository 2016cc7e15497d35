import type { CallRequest } from '../../contract/call.ts';
import type { LeasedCall, RunQueue } from '../../queue/run-queue.ts';
import type { Charge, Refund } from '../../queue/spend/spend-terms.ts';
import { dayAt } from '../../runtime/budget/calendar.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RequestBudget } from './request-budget.ts';

/**
 * Counts the requests of a start: in its own budget, and through the queue in those of the day and month,
 * which all processes on the ledger share.
 */
export interface Charges {
  /** Reserves another request for a call. False where a budget is spent. */
  reserve(call: CallRequest): Promise<boolean>;
  /** Whether what is reserved for a call counts today. */
  isCurrent(call: CallRequest): boolean;
  /** Reserves a request of today in place of an older one. False where the budget is spent. */
  renew(call: CallRequest): Promise<boolean>;
  /** Gives back the request of a call that did not leave, or that the service does not charge. */
  refund(call: CallRequest): void;
  /** Whether the last request of a call was given back, as it is not charged. */
  isFree(call: CallRequest): boolean;
  /** Requests were reserved for these calls when they were leased. */
  noteLeased(calls: readonly LeasedCall[], quarterAt: number | undefined): void;
  /** What the next commit has to count. */
  take(): Charge;
  /** Stores refunds that no exchange has taken along. */
  settle(): Promise<void>;
}

export interface ChargesParts {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly budget: RequestBudget;
  readonly timezone: string;
}

/** What a call has reserved last. */
interface Reservation {
  readonly quarterAt: number;
  /** The end of its day. */
  readonly untilMs: number;
}

interface Waiting {
  readonly call: CallRequest;
  resolve(isReserved: boolean): void;
  reject(error: unknown): void;
}

export function openCharges(
  queue: Pick<RunQueue, 'reserve'>,
  { clock, budget, timezone }: ChargesParts,
): Charges {
  const reservations = new WeakMap<CallRequest, Reservation>();
  let refunds: Refund[] = [];
  let waiting: Waiting[] = [];
  let isReserving = false;
  let lastDay = { quarterAt: -1, untilMs: 0 };

  const note = (call: CallRequest, quarterAt: number) => {
    // Nearly all calls of a batch have the same quarter, and finding its day takes a while.
    if (lastDay.quarterAt !== quarterAt) {
      lastDay = { quarterAt, untilMs: dayAt(quarterAt, timezone).untilMs };
    }
    reservations.set(call, lastDay);
  };

  const take = (): Charge => {
    const taken = refunds;
    refunds = [];
    return { atMs: clock.wallMs(), refunds: taken };
  };

  const giveBack = (call: CallRequest) => {
    const reservation = reservations.get(call);
    reservations.delete(call);
    if (!reservation) return;
    const { operation } = call;
    refunds.push({ operation, quarterAt: reservation.quarterAt, requests: 1 });
  };

  /** One commit for all that wait: calls fail in bursts. */
  const reserveWaiting = async () => {
    if (isReserving) return;
    isReserving = true;
    while (waiting.length > 0) {
      const calls = waiting;
      waiting = [];
      try {
        const operations = calls.map(({ call }) => call.operation);
        const { granted, quarterAt } = await queue.reserve(operations, take());
        for (const [index, { call, resolve }] of calls.entries()) {
          if (index < granted && quarterAt !== undefined) note(call, quarterAt);
          resolve(index < granted);
        }
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    isReserving = false;
  };

  const reserveInLedger = (call: CallRequest) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    waiting.push({ call, resolve, reject });
    void reserveWaiting();
    return promise;
  };

  return {
    async reserve(call) {
      if (!budget.reserve()) return false;
      if (await reserveInLedger(call)) {
        budget.charge(call.operation, 1);
        return true;
      }
      budget.refund();
      return false;
    },
    isCurrent: (call) =>
      clock.wallMs() < (reservations.get(call)?.untilMs ?? Number.POSITIVE_INFINITY),
    async renew(call) {
      giveBack(call);
      if (await reserveInLedger(call)) return true;
      budget.refund();
      budget.charge(call.operation, -1);
      return false;
    },
    refund(call) {
      giveBack(call);
      budget.refund();
      budget.charge(call.operation, -1);
    },
    isFree: (call) => !reservations.has(call),
    noteLeased(calls, quarterAt) {
      for (const { call } of calls) {
        if (quarterAt !== undefined) note(call, quarterAt);
        budget.charge(call.operation, 1);
      }
    },
    take,
    async settle() {
      if (refunds.length > 0) await queue.reserve([], take());
    },
  };
}
