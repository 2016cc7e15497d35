import type { Call } from '../../core/contract/call.ts';
import type { RequestEnd } from '../../core/rules/budgets.ts';
import type { ReservedRequests } from '../../engine/client/call-request.ts';
import type { Booking, SpendUpdate } from '../../engine/queue/count-spend.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StartBudget } from './start-budget.ts';

/** Counts each request in the budget of this start, and in those that all processes of the ledger share. */
export interface Charges {
  readonly budget: StartBudget;
  /** By call id. If the process dies, these calls count as possibly charged. */
  readonly leased: Map<number, LeasedCall>;
  /** For the client of one service, and for its calls that were leased but not sent. */
  forService(serviceIndex: number): ReservedRequests;
  /** Nothing to count if its request was given back, or is of sample data. */
  countingOf(call: Call): Pick<Answer, 'operationToCount' | 'isUnpaid'>;
  noteLeased(calls: readonly LeasedCall[], quarterAt: number | undefined): void;
  /** The answer of a call is stored. */
  end(callId: number): void;
  /** For the next commit: the bookings of one service, or of all. */
  drainBookings(serviceIndex?: number): SpendUpdate;
  /** Stores the bookings that are left. */
  settle(): Promise<void>;
}

export function createCharges(
  queue: Pick<RunQueue, 'reserve'>,
  clock: Pick<Clock, 'wallMs'>,
  budget: StartBudget,
): Charges {
  /** By the object that was leased, which is all that a client knows of a call. */
  const reservations = new Map<Call, Reservation>();
  const leased = new Map<number, LeasedCall>();
  const bookings: Booking[] = [];

  const drainBookings = (serviceIndex?: number): SpendUpdate => ({
    atMs: clock.wallMs(),
    bookings: serviceIndex === undefined ? bookings.splice(0) : takeOf(bookings, serviceIndex),
  });
  const bookShared = (call: Call, end: RequestEnd) => {
    const reserved = reservations.get(call);
    if (!reserved) return;
    const { serviceIndex, quarterAt } = reserved;
    bookings.push({ operation: call.operation, serviceIndex, quarterAt, end });
    if (end === 'unsent') reservations.delete(call);
    reserved.isUnpaid = end === 'unpaid';
  };
  const reserveRetry = reserveTogether(queue, drainBookings, reservations);

  return {
    budget,
    leased,
    forService(serviceIndex) {
      const own = budget.at(serviceIndex);
      return {
        async reserve(call) {
          if (budget.reserve(1, serviceIndex) === 0) return false;
          own.assign(call.operation);
          const isReserved = await reserveRetry(call, serviceIndex);
          if (!isReserved) own.book(call.operation, 'unsent');
          return isReserved;
        },
        book(call, end) {
          bookShared(call, end);
          own.book(call.operation, end);
        },
      };
    },
    countingOf(call) {
      const reserved = reservations.get(call);
      return reserved ? { operationToCount: call.operation, isUnpaid: reserved.isUnpaid } : {};
    },
    end(callId) {
      const one = leased.get(callId);
      leased.delete(callId);
      if (one) reservations.delete(one.call);
    },
    noteLeased(calls, quarterAt) {
      for (const one of calls) {
        const { callId, call, serviceIndex } = one;
        leased.set(callId, one);
        if (quarterAt !== undefined) reservations.set(call, { serviceIndex, quarterAt });
        budget.at(serviceIndex).assign(call.operation);
      }
    },
    drainBookings,
    async settle() {
      // Each is stored where its service is counted.
      for (const serviceIndex of new Set(bookings.map((booking) => booking.serviceIndex)))
        await queue.reserve([], drainBookings(serviceIndex), serviceIndex);
    },
  };
}

/** One commit for all waiting retries, because calls fail in bursts. */
function reserveTogether(
  queue: Pick<RunQueue, 'reserve'>,
  drainBookings: Charges['drainBookings'],
  reservations: Map<Call, Reservation>,
) {
  const waiting: Waiting[] = [];
  let isReserving = false;
  const reserveWaiting = async () => {
    if (isReserving) return;
    isReserving = true;
    while (waiting.length > 0) {
      const serviceIndex = waiting[0]?.serviceIndex ?? 0;
      const calls = takeOf(waiting, serviceIndex);
      try {
        const operations = calls.map(({ call }) => call.operation);
        const granting = queue.reserve(operations, drainBookings(serviceIndex), serviceIndex);
        const { granted, reservedQuarterAt: quarterAt } = await granting;
        for (const [index, { call, resolve }] of calls.entries()) {
          if (index < granted && quarterAt !== undefined)
            reservations.set(call, { serviceIndex, quarterAt });
          resolve(index < granted);
        }
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    isReserving = false;
  };
  return (call: Call, serviceIndex: number): Promise<boolean> => {
    const added = { ...Promise.withResolvers<boolean>(), call, serviceIndex };
    waiting.push(added);
    void reserveWaiting();
    return added.promise;
  };
}

/** Where and in which quarter-hour a call's last request was reserved. */
interface Reservation {
  readonly serviceIndex: number;
  readonly quarterAt: number;
  isUnpaid?: boolean;
}

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly call: Call;
  readonly serviceIndex: number;
}

/** Removes those of a service. */
function takeOf<Item extends { readonly serviceIndex: number }>(
  items: Item[],
  serviceIndex: number,
): Item[] {
  const { own = [], others = [] } = Object.groupBy(items, (item) =>
    item.serviceIndex === serviceIndex ? 'own' : 'others',
  );
  items.splice(0, items.length, ...others);
  return own;
}
