import type { CallRequest } from '../../contract/call.ts';
import type { SharedBudget, SpentBudget } from '../../rules/shared-budget.ts';
import type { Price } from '../../runtime/budget/money.ts';

/** How the requests of a job are counted. Plain data, so that it can go to another thread. */
export interface SpendTerms {
  /** The account that is charged, as a hash. */
  readonly account: string;
  readonly budget: SharedBudget;
  readonly price: Price | undefined;
  /** How often a call may be tried. */
  readonly attempts: number;
}

/** Requests that were reserved and are not charged. */
export interface Refund {
  readonly operation: CallRequest['operation'];
  /** The quarter of an hour in which they were reserved. */
  readonly quarterAt: number;
  readonly requests: number;
}

/** What the count of requests needs to know at a commit. */
export interface Charge {
  /** The time by the clock of the run. */
  readonly atMs: number;
  readonly refunds: readonly Refund[];
}

export interface Reserved {
  /** How many of the wanted requests were reserved, the first ones first. */
  readonly granted: number;
  /** The quarter of an hour in which they count; undefined in a queue that counts no requests. */
  readonly quarterAt?: number;
  /** The budget that is spent, where one is. */
  readonly spent?: SpentBudget;
}
