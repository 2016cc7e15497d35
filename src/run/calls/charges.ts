import type { CallRequest } from '../../core/contract/call.ts';
import { formatMoney, microsPerUnit, priceFor } from '../../core/runtime/budget/money.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { counted } from '../../core/runtime/format.ts';
import type { Charge } from '../../engine/queue/count-spend.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';

/** Counts each request in the budget of this process, and in budgets that all processes of the ledger share. */
export function createCharges(
  queue: Pick<RunQueue, 'reserve'>,
  clock: Pick<Clock, 'wallMs'>,
  budget: StartBudget,
) {
  /** Quarter-hour in which a call's last request was reserved. */
  const reservations = new Map<CallRequest, number>();
  /** If the process dies, these calls count as possibly charged. */
  const leased = new Map<number, CallRequest>();
  const refunds: Charge['refunds'][number][] = [];
  const waiting: (PromiseWithResolvers<boolean> & { readonly call: CallRequest })[] = [];
  let isReserving = false;

  const drainRefunds = (): Charge => ({ atMs: clock.wallMs(), refunds: refunds.splice(0) });
  const noteRefund = (call: CallRequest, isFree: boolean) => {
    const quarterAt = reservations.get(call);
    if (quarterAt !== undefined) refunds.push({ operation: call.operation, quarterAt, isFree });
  };
  const refundOwn = (call: CallRequest) => {
    budget.refund(1);
    budget.charge(call.operation, -1);
  };
  /** One commit for all waiting retries, because calls fail in bursts. */
  const reserveWaiting = async () => {
    if (isReserving) return;
    isReserving = true;
    while (waiting.length > 0) {
      const calls = waiting.splice(0);
      try {
        const operations = calls.map(({ call }) => call.operation);
        const { granted, reserved } = await queue.reserve(operations, drainRefunds());
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
    refund(call: CallRequest) {
      noteRefund(call, false);
      reservations.delete(call);
      refundOwn(call);
    },
    noteFree: (call: CallRequest) => noteRefund(call, true),
    /** Returns the operation to charge; undefined if the request was free or not counted. */
    end: (call: CallRequest) => (reservations.delete(call) ? call.operation : undefined),
    noteLeased(calls: readonly LeasedCall[], reserved: number | undefined) {
      for (const { callId, call } of calls) {
        leased.set(callId, call);
        if (reserved !== undefined) reservations.set(call, reserved);
        budget.charge(call.operation, 1);
      }
    },
    drainRefunds,
    async settle() {
      if (refunds.length > 0) await queue.reserve([], drainRefunds());
    },
  };
}

export type Charges = ReturnType<typeof createCharges>;

type BudgetTerms = {
  readonly budget?: Partial<ResolvedJob['budget']>;
  readonly service?: Pick<ResolvedJob['service'], 'price'>;
  readonly people?: ResolvedJob['people'];
};

/** Requests are reserved before they are sent, so the limit is never exceeded. */
export function createStartBudget({ budget, service, people }: BudgetTerms = {}) {
  const { perStart: limit = Number.POSITIVE_INFINITY, spendMicros } = budget ?? {};
  const price = service?.price;
  let spent = 0;
  const byOperation = { company: noRequests(), people: noRequests() };
  const dearest = Math.max(price?.companyMicros ?? 0, (people && price?.peopleMicros) ?? 0);
  const spend = () =>
    (['company', 'people'] as const).map((operation) => {
      const { requests, answered } = byOperation[operation];
      const { each, currency } = priceFor(price, operation);
      return { requests, currency, micros: requests * each, charged: answered * each };
    });
  const micros = () => spend().reduce((sum, row) => sum + row.micros, 0);
  const left = () => {
    if (spendMicros === undefined || dearest === 0) return limit - spent;
    const { company, people: pages } = byOperation;
    const unknown = spent - company.requests - pages.requests;
    const rest = spendMicros - micros() - unknown * dearest;
    return Math.min(limit - spent, Math.floor(rest / dearest));
  };
  return {
    get limit() {
      return price && spendMicros !== undefined && spent < limit
        ? formatMoney(price.currency, spendMicros / microsPerUnit)
        : counted(limit, 'request');
    },
    get left() {
      return left();
    },
    /** Requests that were charged or may still be. */
    get spent() {
      return spent;
    },
    get spend() {
      return spend();
    },
    get money() {
      const rows = spend();
      const isUnknown = rows.some(({ currency, requests }) => currency === '' && requests > 0);
      return price && !isUnknown
        ? { currency: price.currency, amount: micros() / microsPerUnit }
        : undefined;
    },
    reserve(requests: number) {
      const reserved = Math.min(requests, left());
      spent += reserved;
      return reserved;
    },
    refund(requests: number) {
      spent -= requests;
    },
    charge(operation: CallRequest['operation'], requests: number) {
      byOperation[operation].requests += requests;
    },
    noteAnswer({ charged, result }: Answer) {
      if (charged && result.kind !== 'failed') byOperation[charged].answered += 1;
    },
  };
}

const noRequests = () => ({ requests: 0, answered: 0 });

export type StartBudget = ReturnType<typeof createStartBudget>;

export type SpentSoFar = Pick<StartBudget, 'spent' | 'spend' | 'money'>;

export function affordableAttempts(
  attempts: number,
  { perStart, perDay, perMonth }: Partial<ResolvedJob['budget']>,
): number {
  const budgets = [perStart, perDay, perMonth].filter((limit) => limit !== undefined);
  return Math.max(1, Math.min(attempts, ...budgets));
}
