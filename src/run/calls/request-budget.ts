import type { CallRequest } from '../../contract/call.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type Money, microsFor, type Price } from '../../runtime/budget/money.ts';

/**
 * Counts the requests of one start that may be charged, and refuses more than the job allows. A request
 * is reserved before it leaves, so that the budget holds at every moment.
 */
export interface RequestBudget {
  /** The most that may be reserved. */
  readonly limit: number;
  /** Requests that may still be reserved. */
  readonly left: number;
  /** Requests that were reserved and not given back: they were charged, or may yet be. */
  readonly spent: number;
  /** What these cost; undefined without a price. */
  readonly money: Money | undefined;
  /** Reserves as many as are left, up to this number, and gives how many these are. */
  reserveUpTo(requests: number): number;
  /** False where the budget is spent. */
  reserve(): boolean;
  /** Gives reserved requests back: they did not leave, or the service does not charge for them. */
  refund(requests?: number): void;
  /** Says what reserved requests are for, or with a negative number what refunded ones were for. */
  charge(operation: CallRequest['operation'], requests: number): void;
}

/** What a start has spent, at the moment of asking. */
export type SpentSoFar = Pick<RequestBudget, 'spent' | 'money'>;

export function openRequestBudget(
  maxRequests = Number.POSITIVE_INFINITY,
  price?: Price,
): RequestBudget {
  let spent = 0;
  let micros = 0;
  const reserveUpTo = (requests: number) => {
    const reserved = Math.min(requests, maxRequests - spent);
    spent += reserved;
    return reserved;
  };
  return {
    limit: maxRequests,
    get left() {
      return maxRequests - spent;
    },
    get spent() {
      return spent;
    },
    get money() {
      return price && { currency: price.currency, micros };
    },
    reserveUpTo,
    reserve: () => reserveUpTo(1) === 1,
    refund(requests = 1) {
      spent -= requests;
    },
    charge(operation, requests) {
      if (price) micros += requests * microsFor(price, operation);
    },
  };
}

/** How often a call may be tried: never more often than the smallest of the budgets allows. */
export function affordableAttempts(
  attempts: number,
  { perStart, perDay, perMonth }: Partial<ResolvedJob['budget']>,
): number {
  const budgets = [perStart, perDay, perMonth].filter((limit) => limit !== undefined);
  return Math.max(1, Math.min(attempts, ...budgets));
}
