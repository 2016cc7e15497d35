/**
 * Counts the requests of one start that may be charged, and refuses more than the job allows. A request
 * is reserved before it leaves, so that the budget holds at every moment.
 */
export interface RequestBudget {
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
