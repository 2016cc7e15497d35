import type { CallRequest } from '../../core/contract/call.ts';
import { formatMoney, priceFor } from '../../core/runtime/budget/money.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Charge } from '../../engine/queue/count-spend.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

/**
 * Counts the requests of a start: in its own budget, and through the queue in those of the day and month,
 * which all processes on the ledger share.
 */
export function openCharges(
  queue: Pick<RunQueue, 'reserve'>,
  clock: Pick<Clock, 'wallMs'>,
  budget: RequestBudget,
) {
  /** The quarter of an hour in which the last request of a call was reserved. */
  const reservations = new Map<CallRequest, number>();
  /** Calls that the ledger has as leased: a run that dies leaves these as possibly charged. */
  const leased = new Map<number, CallRequest>();
  let refunds: Charge['refunds'][number][] = [];
  let waiting: (PromiseWithResolvers<boolean> & { readonly call: CallRequest })[] = [];
  let isReserving = false;

  /** What the next commit has to count. */
  const take = (): Charge => {
    const taken = refunds;
    refunds = [];
    return { atMs: clock.wallMs(), refunds: taken };
  };
  const noteRefund = (call: CallRequest, isFree: boolean) => {
    const quarterAt = reservations.get(call);
    if (quarterAt !== undefined) refunds.push({ operation: call.operation, quarterAt, isFree });
  };
  const refundOwn = (call: CallRequest) => {
    budget.refund(1);
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
        const { granted, reserved } = await queue.reserve(operations, take());
        for (const [index, { call, resolve }] of calls.entries()) {
          if (index < granted && reserved !== undefined) reservations.set(call, reserved);
          resolve(index < granted);
        }
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    isReserving = false;
  };

  return {
    budget,
    leased,
    /** Reserves another request for a call. False where a budget is spent. */
    async reserve(call: CallRequest) {
      if (budget.reserve(1) === 0) return false;
      budget.charge(call.operation, 1);
      const added = { ...Promise.withResolvers<boolean>(), call };
      waiting.push(added);
      void reserveWaiting();
      const isReserved = await added.promise;
      if (!isReserved) refundOwn(call);
      return isReserved;
    },
    /** Gives back the request of a call that did not leave, or that the service does not charge. */
    refund(call: CallRequest) {
      noteRefund(call, false);
      reservations.delete(call);
      refundOwn(call);
    },
    noteFree: (call: CallRequest) => noteRefund(call, true),
    /** Ends the count of an answered call. Gives its operation unless its last request was free. */
    end: (call: CallRequest) => (reservations.delete(call) ? call.operation : undefined),
    /** Requests were reserved for these calls when they were leased. */
    noteLeased(calls: readonly LeasedCall[], reserved: number | undefined) {
      for (const { callId, call } of calls) {
        leased.set(callId, call);
        if (reserved !== undefined) reservations.set(call, reserved);
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

type BudgetTerms = {
  readonly budget?: Partial<ResolvedJob['budget']>;
  readonly service?: Pick<ResolvedJob['service'], 'price'>;
  readonly people?: ResolvedJob['people'];
};

/**
 * Counts the requests of one start that may be charged, and refuses more than the job allows. A request
 * is reserved before it leaves, so that the budget holds at every moment.
 */
export function openRequestBudget({ budget, service, people }: BudgetTerms = {}) {
  const { perStart: limit = Number.POSITIVE_INFINITY, spendMicros } = budget ?? {};
  const price = service?.price;
  let spent = 0;
  const counted = { company: noRequests(), people: noRequests() };
  /** What a request costs at most whose operation is not known yet. */
  const dearest = Math.max(price?.companyMicros ?? 0, (people && price?.peopleMicros) ?? 0);
  const spend = () =>
    (['company', 'people'] as const).map((operation) => {
      const { requests, answered } = counted[operation];
      const { each, currency } = priceFor(price, operation);
      return { requests, currency, micros: requests * each, charged: answered * each };
    });
  const micros = () => spend().reduce((sum, row) => sum + row.micros, 0);
  const left = () => {
    if (spendMicros === undefined || dearest === 0) return limit - spent;
    const { company, people: pages } = counted;
    const unknown = spent - company.requests - pages.requests;
    const rest = spendMicros - micros() - unknown * dearest;
    return Math.min(limit - spent, Math.floor(rest / dearest));
  };
  return {
    /** The limit that is reached, for messages. */
    get limit() {
      return price && spendMicros !== undefined && spent < limit
        ? formatMoney({ currency: price.currency, micros: spendMicros })
        : `${limit} requests`;
    },
    get left() {
      return left();
    },
    /** Requests that were reserved and not given back: they were charged, or may yet be. */
    get spent() {
      return spent;
    },
    /** These by operation, with their price. */
    get spend() {
      return spend();
    },
    /** The most that these may cost; undefined where the price of one is not set. */
    get money() {
      const rows = spend();
      const isUnknown = rows.some(({ currency, requests }) => currency === '' && requests > 0);
      return price && !isUnknown ? { currency: price.currency, micros: micros() } : undefined;
    },
    /** Reserves as many as are left, up to this number, and gives how many these are. */
    reserve(requests: number) {
      const reserved = Math.min(requests, left());
      spent += reserved;
      return reserved;
    },
    /** Gives reserved requests back: they did not leave, or the service does not charge for them. */
    refund(requests: number) {
      spent -= requests;
    },
    /** Says what reserved requests are for, or with a negative number what refunded ones were for. */
    charge(operation: CallRequest['operation'], requests: number) {
      counted[operation].requests += requests;
    },
    /** Counts a stored answer: if it is charged, that is certain now. */
    noteAnswer({ charged, outcome }: Answer) {
      if (charged && outcome.kind !== 'failed') counted[charged].answered += 1;
    },
  };
}

const noRequests = () => ({ requests: 0, answered: 0 });

export type RequestBudget = ReturnType<typeof openRequestBudget>;

/** What a start has spent, at the moment of asking. */
export type SpentSoFar = Pick<RequestBudget, 'spent' | 'spend' | 'money'>;

/** How often a call may be tried: never more often than the smallest of the budgets allows. */
export function affordableAttempts(
  attempts: number,
  { perStart, perDay, perMonth }: Partial<ResolvedJob['budget']>,
): number {
  const budgets = [perStart, perDay, perMonth].filter((limit) => limit !== undefined);
  return Math.max(1, Math.min(attempts, ...budgets));
}
