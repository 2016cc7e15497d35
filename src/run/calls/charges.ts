import type { CallRequest } from '../../core/contract/call.ts';
import type { Charge } from '../../engine/queue/count-spend.ts';
import type { LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StartBudget } from './start-budget.ts';

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

  /** Those of one service, or of all. */
  const drainRefunds = (service?: number): Charge => ({
    atMs: clock.wallMs(),
    refunds: service === undefined ? refunds.splice(0) : takeOf(refunds, service),
  });
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
      const service = waiting[0]?.service ?? 0;
      const calls = takeOf(waiting, service);
      try {
        const operations = calls.map(({ call }) => call.operation);
        const granting = queue.reserve(operations, drainRefunds(service), service);
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
      for (const service of new Set(refunds.map((refund) => refund.service)))
        await queue.reserve([], drainRefunds(service), service);
    },
  };
  return charges;
}

export type Charges = ReturnType<typeof createCharges>;

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly call: CallRequest;
  readonly service: number;
}

/** Removes those of a service. */
function takeOf<Item extends { readonly service: number }>(items: Item[], service: number): Item[] {
  const { own = [], others = [] } = Object.groupBy(items, (item) =>
    item.service === service ? 'own' : 'others',
  );
  items.splice(0, items.length, ...others);
  return own;
}
