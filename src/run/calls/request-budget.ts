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
  /** Reserves as many as are left, up to this number, and gives how many these are. */
  reserveUpTo(requests: number): number;
  /** False where the budget is spent. */
  reserve(): boolean;
  /** Gives reserved requests back: they did not leave, or the service does not charge for them. */
  refund(requests?: number): void;
}

export function openRequestBudget(maxRequests = Number.POSITIVE_INFINITY): RequestBudget {
  let spent = 0;
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
    reserveUpTo,
    reserve: () => reserveUpTo(1) === 1,
    refund(requests = 1) {
      spent -= requests;
    },
  };
}

/**
 * How many more calls may be made, so that each can have all its attempts: calls that are cut short by the
 * budget stay open, and the same ones at every start would keep a job from ever going on. One call alone
 * may be made in any case.
 */
export function affordableCalls(
  { left }: Pick<RequestBudget, 'left'>,
  callsInFlight: number,
  attempts: number,
): number {
  const calls = Math.floor((left - callsInFlight * (attempts - 1)) / attempts);
  return Math.max(callsInFlight === 0 ? 1 : 0, calls);
}

/** How often a call may be tried: never more often than the budget of one start allows. */
export function affordableAttempts(
  attempts: number,
  maxRequests = Number.POSITIVE_INFINITY,
): number {
  return Math.max(1, Math.min(attempts, maxRequests));
}
