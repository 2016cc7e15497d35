import type { CallRequest } from '../../contract/call.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { LeasedCall, RunQueue } from '../../queue/run-queue.ts';
import type { Charge, Refund } from '../../queue/spend/count-spend.ts';
import { dayAt } from '../../runtime/budget/calendar.ts';
import { microsFor, type Price } from '../../runtime/budget/money.ts';
import type { Clock } from '../../runtime/clock.ts';

/**
 * Counts the requests of a start: in its own budget, and through the queue in those of the day and month,
 * which all processes on the ledger share.
 */
export function openCharges(
  queue: Pick<RunQueue, 'reserve'>,
  clock: Pick<Clock, 'wallMs'>,
  budget: RequestBudget,
  timezone: string,
) {
  /** The quarter of an hour that a call has reserved in last, and the end of its day. */
  const reservations = new Map<CallRequest, { quarterAt: number; untilMs: number }>();
  let refunds: Refund[] = [];
  let waiting: (PromiseWithResolvers<boolean> & { readonly call: CallRequest })[] = [];
  let isReserving = false;
  let lastDay = { quarterAt: -1, untilMs: 0 };

  const note = (call: CallRequest, quarterAt: number) => {
    // Nearly all calls of a batch have the same quarter, and finding its day takes a while.
    if (lastDay.quarterAt !== quarterAt) {
      lastDay = { quarterAt, untilMs: dayAt(quarterAt, timezone).untilMs };
    }
    reservations.set(call, lastDay);
  };
  /** What the next commit has to count. */
  const take = (): Charge => {
    const taken = refunds;
    refunds = [];
    return { atMs: clock.wallMs(), refunds: taken };
  };
  const giveBack = (call: CallRequest) => {
    const quarterAt = reservations.get(call)?.quarterAt;
    if (!reservations.delete(call) || quarterAt === undefined) return;
    refunds.push({ operation: call.operation, quarterAt, requests: 1 });
  };
  const refundOwn = (call: CallRequest) => {
    budget.refund();
    budget.charge(call.operation, -1);
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
  const reserveInLedger = async (call: CallRequest) => {
    const added = { ...Promise.withResolvers<boolean>(), call };
    waiting.push(added);
    void reserveWaiting();
    const isReserved = await added.promise;
    if (!isReserved) refundOwn(call);
    return isReserved;
  };

  return {
    budget,
    /** Reserves another request for a call. False where a budget is spent. */
    async reserve(call: CallRequest) {
      if (!budget.reserve()) return false;
      budget.charge(call.operation, 1);
      return await reserveInLedger(call);
    },
    /** Whether what is reserved for a call counts today. */
    isCurrent: (call: CallRequest) =>
      clock.wallMs() < (reservations.get(call)?.untilMs ?? Number.POSITIVE_INFINITY),
    /** Reserves a request of today in place of an older one. False where the budget is spent. */
    async renew(call: CallRequest) {
      giveBack(call);
      return await reserveInLedger(call);
    },
    /** Gives back the request of a call that did not leave, or that the service does not charge. */
    refund(call: CallRequest) {
      giveBack(call);
      refundOwn(call);
    },
    /** Ends the count of an answered call. True where its last request was given back, as it is not charged. */
    end: (call: CallRequest) => !reservations.delete(call),
    /** Requests were reserved for these calls when they were leased. */
    noteLeased(calls: readonly LeasedCall[], quarterAt: number | undefined) {
      for (const { call } of calls) {
        if (quarterAt !== undefined) note(call, quarterAt);
        budget.charge(call.operation, 1);
      }
    },
    take,
    /** Stores refunds that no exchange has taken along. */
    async settle() {
      if (refunds.length > 0) await queue.reserve([], take());
    },
  };
}

export type Charges = ReturnType<typeof openCharges>;

/**
 * Counts the requests of one start that may be charged, and refuses more than the job allows. A request
 * is reserved before it leaves, so that the budget holds at every moment.
 */
export function openRequestBudget(limit = Number.POSITIVE_INFINITY, price?: Price) {
  let spent = 0;
  let micros = 0;
  /** Reserves as many as are left, up to this number, and gives how many these are. */
  const reserveUpTo = (requests: number) => {
    const reserved = Math.min(requests, limit - spent);
    spent += reserved;
    return reserved;
  };
  return {
    limit,
    get left() {
      return limit - spent;
    },
    /** Requests that were reserved and not given back: they were charged, or may yet be. */
    get spent() {
      return spent;
    },
    /** What these cost; undefined without a price. */
    get money() {
      return price && { currency: price.currency, micros };
    },
    reserveUpTo,
    reserve: () => reserveUpTo(1) === 1,
    /** Gives reserved requests back: they did not leave, or the service does not charge for them. */
    refund(requests = 1) {
      spent -= requests;
    },
    /** Says what reserved requests are for, or with a negative number what refunded ones were for. */
    charge(operation: CallRequest['operation'], requests: number) {
      if (price) micros += requests * microsFor(price, operation);
    },
  };
}

export type RequestBudget = ReturnType<typeof openRequestBudget>;

/** What a start has spent, at the moment of asking. */
export type SpentSoFar = Pick<RequestBudget, 'spent' | 'money'>;

/** How often a call may be tried: never more often than the smallest of the budgets allows. */
export function affordableAttempts(
  attempts: number,
  { perStart, perDay, perMonth }: Partial<ResolvedJob['budget']>,
): number {
  const budgets = [perStart, perDay, perMonth].filter((limit) => limit !== undefined);
  return Math.max(1, Math.min(attempts, ...budgets));
}
