import type { CallRequest } from '../contract/call.ts';

/** Counts requests that may be charged. The run reserves one for each call that it gives to the client. */
export interface RequestBudget {
  /** Reserves another request for a call. False where the budget is spent. */
  reserve(call: CallRequest): boolean | Promise<boolean>;
  /** Gives back the request that is reserved for a call. */
  refund(call: CallRequest): void;
  /** Whether what is reserved for a call is of the budget of today. */
  isCurrent?(call: CallRequest): boolean;
  /** Reserves a request of today in place of an older one. False where the budget is spent. */
  renew?(call: CallRequest): Promise<boolean>;
}

/** Any number of requests may be charged. */
export const endlessBudget: RequestBudget = { reserve: () => true, refund: () => {} };
