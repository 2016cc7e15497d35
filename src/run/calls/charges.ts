import type { CallRequest } from '../../core/contract/call.ts';
import { counted } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit, type Price, priceFor } from '../../core/values/money.ts';
import type { Charge } from '../../engine/queue/count-spend.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob, ResolvedService, ServiceBudget } from '../../job/resolve-job.ts';
import type { Clock } from '../../platform/clock.ts';

/** Counts each request in the budget of this process, and in budgets that all processes of the ledger share. */
export function createCharges(
  queue: Pick<RunQueue, 'reserve'>,
  clock: Pick<Clock, 'wallMs'>,
  budget: StartBudget,
) {
  /** Where and in which quarter-hour a call's last request was reserved. */
  const reservations = new Map<CallRequest, { service: number; quarterAt: number }>();
  /** If the process dies, these calls count as possibly charged. */
  const leased = new Map<number, CallRequest>();
  const refunds: Charge['refunds'][number][] = [];
  const waiting: Waiting[] = [];
  let isReserving = false;

  const drainRefunds = (): Charge => ({ atMs: clock.wallMs(), refunds: refunds.splice(0) });
  const drainOf = (service: number): Charge => {
    const own = refunds.filter((refund) => (refund.service ?? 0) === service);
    const others = refunds.filter((refund) => (refund.service ?? 0) !== service);
    refunds.splice(0, refunds.length, ...others);
    return { atMs: clock.wallMs(), refunds: own };
  };
  const noteRefund = (call: CallRequest, isFree: boolean) => {
    const reserved = reservations.get(call);
    if (reserved) refunds.push({ operation: call.operation, ...reserved, isFree });
  };
  const refundOwn = (call: CallRequest, service: number) => {
    budget.refund(1, service);
    budget.charge(call.operation, -1, service);
  };
  /** One commit for all waiting retries, because calls fail in bursts. */
  const reserveWaiting = async () => {
    if (isReserving) return;
    isReserving = true;
    while (waiting.length > 0) {
      const [{ service = 0 } = {}] = waiting;
      const calls = waiting.filter((one) => one.service === service);
      const others = waiting.filter((one) => one.service !== service);
      waiting.splice(0, waiting.length, ...others);
      try {
        const operations = calls.map(({ call }) => call.operation);
        const granting = queue.reserve(operations, drainOf(service), service);
        const { granted, reserved: quarterAt } = await granting;
        for (const [index, { call, resolve }] of calls.entries()) {
          if (index < granted && quarterAt !== undefined)
            reservations.set(call, { service, quarterAt });
          resolve(index < granted);
        }
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    isReserving = false;
  };

  const charges = {
    budget,
    leased,
    /** For the client of one service. */
    of: (service: number) => ({
      reserve: (call: CallRequest) => charges.reserve(call, service),
      refund: (call: CallRequest) => charges.refund(call, service),
      noteFree: (call: CallRequest) => charges.noteFree(call),
    }),
    async reserve(call: CallRequest, service = 0) {
      if (budget.reserve(1, service) === 0) return false;
      budget.charge(call.operation, 1, service);
      const added = { ...Promise.withResolvers<boolean>(), call, service };
      waiting.push(added);
      void reserveWaiting();
      const isReserved = await added.promise;
      if (!isReserved) refundOwn(call, service);
      return isReserved;
    },
    refund(call: CallRequest, service = 0) {
      noteRefund(call, false);
      reservations.delete(call);
      refundOwn(call, service);
    },
    noteFree: (call: CallRequest) => noteRefund(call, true),
    /** Returns the operation to charge; undefined if the request was free or not counted. */
    end: (call: CallRequest) => (reservations.delete(call) ? call.operation : undefined),
    noteLeased(calls: readonly LeasedCall[], reserved: number | undefined) {
      for (const { callId, call, service } of calls) {
        leased.set(callId, call);
        if (reserved !== undefined) reservations.set(call, { service, quarterAt: reserved });
        budget.charge(call.operation, 1, service);
      }
    },
    drainRefunds,
    async settle() {
      // A refund is taken back where its service is counted.
      for (const service of new Set(refunds.map((refund) => refund.service ?? 0)))
        await queue.reserve([], drainOf(service), service);
    },
  };
  return charges;
}

export type Charges = ReturnType<typeof createCharges>;

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly call: CallRequest;
  readonly service: number;
}

type BudgetTerms = {
  readonly budget?: Partial<ResolvedJob['budget']>;
  readonly services?: readonly Partial<Pick<ResolvedService, 'name' | 'price' | 'budget'>>[];
  readonly people?: ResolvedJob['people'];
};

/** Requests are reserved before they are sent, so no limit is ever exceeded. */
export function createStartBudget({ budget, services = [], people }: BudgetTerms = {}) {
  let { perStart = forever, spendMicros } = budget ?? {};
  const parts = (services.length === 0 ? [{ price: undefined }] : services).map((service) =>
    createPart(service, people !== undefined),
  );
  const partAt = (service: number) => parts[service] as StartPart;
  const spent = () => parts.reduce((sum, part) => sum + part.spent, 0);
  const micros = () => parts.reduce((sum, part) => sum + part.micros, 0);
  // Only for services of one currency; see `refuseUnpriced`.
  const currency = parts[0]?.price?.currency;
  const leftAt = (service: number) => {
    const part = partAt(service);
    const ofJob = perStart - spent();
    const least = Math.min(ofJob, part.left());
    if (spendMicros === undefined || part.dearest === 0) return least;
    const promised = parts.reduce((sum, one) => sum + one.promised, 0);
    return Math.min(least, Math.floor((spendMicros - promised) / part.dearest));
  };
  return {
    /** The limit that a service has reached, or that of the job. */
    limitOf(service: number): string {
      const part = partAt(service);
      if (part.left() < 1 && part.limit !== undefined) return part.limit;
      return currency && spendMicros !== undefined && spent() < perStart
        ? formatMoney(currency, spendMicros / microsPerUnit)
        : counted(perStart, 'request');
    },
    leftAt,
    /** Of the service that has most left. */
    get left() {
      return Math.max(...parts.map((_, service) => leftAt(service)));
    },
    /** Requests that were charged or may still be. */
    get spent() {
      return spent();
    },
    get spend() {
      // Of several services, only those that were asked have an amount.
      return parts.flatMap(({ spend }) =>
        parts.length === 1 ? spend : spend.filter(({ requests }) => requests > 0),
      );
    },
    /** Only one of several services has its name here. */
    get byService() {
      return parts.map(({ name, spent, money }) => ({
        ...(parts.length > 1 && { service: name }),
        spent,
        money,
      }));
    },
    get money() {
      const rows = parts.flatMap((part) => part.spend);
      const isUnknown = rows.some((row) => row.currency !== currency && row.requests > 0);
      return currency && !isUnknown ? { currency, amount: micros() / microsPerUnit } : undefined;
    },
    /** The user has agreed to this much. */
    lower(requests: number, micros = spendMicros) {
      perStart = Math.min(perStart, requests);
      spendMicros = micros;
    },
    reserve(requests: number, service = 0) {
      const reserved = Math.max(0, Math.min(requests, leftAt(service)));
      partAt(service).spent += reserved;
      return reserved;
    },
    refund(requests: number, service = 0) {
      partAt(service).spent -= requests;
    },
    charge(operation: CallRequest['operation'], requests: number, service = 0) {
      partAt(service).byOperation[operation].requests += requests;
    },
    noteAnswer({ charged, result }: Answer, service = 0) {
      if (!charged || result.kind === 'failed') return;
      const counts = partAt(service).byOperation[charged];
      counts.answered += 1;
      if (result.kind === 'miss') counts.missed += 1;
    },
  };
}

const forever = Number.POSITIVE_INFINITY;

type StartPart = ReturnType<typeof createPart>;

/** What one start spends at one service. */
function createPart(
  { name = '', price, budget }: Partial<Pick<ResolvedService, 'name' | 'price' | 'budget'>>,
  hasPeople: boolean,
) {
  const byOperation = { company: noRequests(), people: noRequests() };
  const dearest = dearestOf(price, hasPeople);
  const { requests: most = forever, micros: mostMicros } = budget?.perStart ?? {};
  const money =
    mostMicros !== undefined && price && formatMoney(price.currency, mostMicros / microsPerUnit);
  const limit = money || (most < forever ? counted(most, 'request') : undefined);
  return {
    name,
    price,
    dearest,
    byOperation,
    spent: 0,
    limit: limit && `${limit} for ${name}`,
    get spend() {
      return (['company', 'people'] as const).map((operation) => {
        const { requests, answered, missed } = byOperation[operation];
        const { each, currency } = priceFor(price, operation);
        const [micros, charged] = [requests * each, answered * each];
        return { service: name, requests, currency, micros, charged, missed: missed * each };
      });
    },
    get micros() {
      return this.spend.reduce((sum, row) => sum + row.micros, 0);
    },
    /** Undefined if the price of a request is unknown. */
    get money() {
      const isUnknown = this.spend.some((row) => row.currency === '' && row.requests > 0);
      if (!price || isUnknown) return undefined;
      return { currency: price.currency, amount: this.micros / microsPerUnit };
    },
    /** Requests that are reserved for calls not leased yet count at the highest price. */
    get promised() {
      const { company, people } = byOperation;
      return this.micros + (this.spent - company.requests - people.requests) * dearest;
    },
    left() {
      const requests = most - this.spent;
      if (mostMicros === undefined || dearest === 0) return requests;
      return Math.min(requests, Math.floor((mostMicros - this.promised) / dearest));
    },
  };
}

/** In millionths. */
export function dearestOf(price: Price | undefined, hasPeople: boolean): number {
  return Math.max(price?.companyMicros ?? 0, (hasPeople && price?.peopleMicros) || 0);
}

const noRequests = () => ({ requests: 0, answered: 0, missed: 0 });

export type StartBudget = ReturnType<typeof createStartBudget>;

export type SpentSoFar = Pick<StartBudget, 'spent' | 'spend' | 'money'>;

export function affordableAttempts(
  attempts: number,
  { perStart, perDay, perMonth }: Partial<ResolvedJob['budget']>,
  own: ServiceBudget = {},
): number {
  const ofService = Object.values(own).map(({ requests }) => requests);
  const budgets = [perStart, perDay, perMonth, ...ofService].filter((limit) => limit !== undefined);
  return Math.max(1, Math.min(attempts, ...budgets));
}
