import type { CallRequest } from '../../contract/call.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { microsFor, type Price } from '../../runtime/budget/money.ts';

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
