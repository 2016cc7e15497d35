import type { Call } from '../../core/contract/call.ts';
import { DossierError } from '../../core/errors.ts';
import type { RequestEnd } from '../../core/rules/budgets.ts';

/** The run reserves the first request of each call; the client reserves only retries. */
export interface ReservedRequests {
  reserve(call: Call): boolean | Promise<boolean>;
  book(call: Call, end: RequestEnd): void;
}

/**
 * The request that is reserved for a call, and how much of it is due:
 *
 * | state      | entered                                                | due                        |
 * | ---------- | ------------------------------------------------------ | -------------------------- |
 * | `reserved` | at first, for a retry, and after a free request        | nothing, if the call ends  |
 * | `sent`     | when a request leaves, or another process may send it  | perhaps the price          |
 * | `unknown`  | when it fails without an answer                        | perhaps the price          |
 * | `answered` | by an answer                                           | the price                  |
 * | `unpaid`   | by an answer without a hit, if only hits are charged   | a request, but not a price |
 */
export class CallRequest {
  state: 'reserved' | 'sent' | 'unknown' | 'answered' | 'unpaid' = 'reserved';
  readonly call: Call;
  readonly #budget: ReservedRequests;

  constructor(call: Call, budget: ReservedRequests) {
    this.call = call;
    this.#budget = budget;
  }

  get mayBeCharged(): boolean {
    return this.state !== 'reserved';
  }

  /** After a free one, such as a redirect or refusal, the next request uses its reservation. */
  book(end: RequestEnd): void {
    this.state = end === 'unpaid' ? end : 'reserved';
    this.#budget.book(this.call, end);
  }

  /** Before a retry. */
  async reserve(): Promise<void> {
    if (!(await this.#budget.reserve(this.call))) {
      throw new DossierError('BUDGET_SPENT', 'the budget has no request left for another attempt');
    }
    this.state = 'reserved';
  }
}

/** For requests that are counted elsewhere. */
export const noBudget: ReservedRequests = { reserve: () => true, book: () => {} };
