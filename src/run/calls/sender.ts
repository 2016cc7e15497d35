import type { Hit } from '../../core/contract/call.ts';
import { DossierError, UnansweredError, withSentence } from '../../core/errors.ts';
import type { LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { CallingOptions } from './call-loop.ts';
import type { Router } from './router.ts';
import { createStops, type Stops } from './stops.ts';
import { createUndecidedFailures, type SentAnswer } from './undecided-failures.ts';

export interface Sender {
  /** What the next exchange stores. */
  readonly answers: SentAnswer[];
  readonly unsent: readonly number[];
  readonly stops: Stops;
  /** Opens the clients that are needed, but does not wait for answers. */
  send(calls: readonly LeasedCall[]): Promise<void>;
  /** Until a call ends, but no longer than this. */
  waitForEnd(ms: number): Promise<void>;
  stateOf(serviceIndex: number): { inFlight: number; undecided: number; isStopped: boolean };
  countInFlight(): number;
  countUnstored(): number;
  noteStored(answer: SentAnswer): void;
  /** For an answer whose presumed company is not in its body. */
  judgeMisread(answer: SentAnswer): void;
  /** Without calls in flight, no answer will come that shows whether the service works. */
  decideFailures(): void;
  returnUnsent(): Promise<void>;
  /** Stores what is left, and returns the reason for the stop. */
  end(): Promise<unknown>;
}

/**
 * Sends leased calls. When a call ends, it is in one of these lists:
 *
 * | list         | the call                             | then                                        |
 * | ------------ | ------------------------------------ | ------------------------------------------- |
 * | `answers`    | has a result                         | the next exchange stores it                 |
 * | `failures`   | failed, perhaps as all would         | a later answer of the service confirms it;  |
 * |              |                                      | if the run stops first, it stays open       |
 * | `unsent`     | was certainly not sent               | its lease and its request are given back    |
 * | `unanswered` | may have been sent, without a result | `recover` records it as possibly charged    |
 *
 * If the process dies, the next start takes all of its leased calls for unanswered.
 */
export function createSender(
  queue: RunQueue,
  router: Router,
  serviceCount: number,
  { clock, charges, stopping, signal }: CallingOptions,
): Sender {
  const services = Array.from({ length: serviceCount }, () => ({
    inFlight: 0,
    failures: createUndecidedFailures(),
  }));
  const serviceAt = (index: number) => services[index] as (typeof services)[number];
  const stops = createStops(serviceCount, stopping);
  const answers: SentAnswer[] = [];
  const unsent: number[] = [];
  const unanswered: number[] = [];
  const callEnded = createWakeUp();

  const sendOne = async (leased: LeasedCall, misread?: Hit) => {
    const { callId, call, serviceIndex } = leased;
    const service = serviceAt(serviceIndex);
    service.inFlight += 1;
    try {
      const result = await router.send(leased, signal, misread);
      const fetchedAt = result.fetchedAt ?? clock.wallMs();
      const answer = { callId, serviceIndex, result, fetchedAt, ...charges.countingOf(call) };
      answers.push(...service.failures.add(answer));
    } catch (error) {
      const isKnown = error instanceof DossierError;
      // Without budget for a retry, this call stays open and the run continues.
      if (!isKnown || error.code !== 'BUDGET_SPENT')
        stops.stop(serviceIndex, error instanceof UnansweredError ? error.cause : error);
      // After these errors no request was sent, but an aborted call may have been charged.
      const isUnsent = (isKnown || error === stopping.reason) && !signal.aborted;
      (isUnsent ? unsent : unanswered).push(callId);
    }
    service.inFlight -= 1;
    callEnded.notify();
  };

  const returnUnsent = async () => {
    if (unsent.length === 0) return;
    const returned = unsent.splice(0);
    await queue.returnUnsent(returned, charges.drainBookings());
    for (const callId of returned) charges.leased.delete(callId);
  };

  return {
    answers,
    unsent,
    stops,
    returnUnsent,
    waitForEnd: callEnded.wait,
    stateOf(index) {
      const { inFlight, failures } = serviceAt(index);
      return { inFlight, undecided: failures.count(), isStopped: stops.isStopped(index) };
    },
    countInFlight: () => services.reduce((sum, { inFlight }) => sum + inFlight, 0),
    countUnstored: () =>
      services.reduce((sum, { failures }) => sum + failures.count(), answers.length),
    noteStored: ({ result, serviceIndex }) => router.noteStored(result, serviceIndex),
    async send(calls) {
      await openClients(router, stops, calls);
      stops.noteStop();
      for (const leased of calls) {
        if (!stops.isStopped(leased.serviceIndex)) void sendOne(leased);
        else {
          charges.forService(leased.serviceIndex).book(leased.call, 'unsent');
          unsent.push(leased.callId);
        }
      }
    },
    judgeMisread({ callId, result }) {
      const leased = charges.leased.get(callId);
      if (leased && result.kind === 'hit') void sendOne(leased, result);
    },
    decideFailures() {
      for (const [serviceIndex, { failures }] of services.entries()) {
        if (failures.count() === 0 || stops.isStopped(serviceIndex)) continue;
        try {
          router.requireAnswers(serviceIndex);
          answers.push(...failures.drain());
        } catch (error) {
          stops.stop(serviceIndex, error);
        }
      }
    },
    async end() {
      await returnUnsent();
      const failed = services.flatMap(({ failures }) => failures.drain());
      const open = failed.map((one) => ({ ...one, staysOpen: true as const }));
      if (open.length > 0) await queue.exchange(open, []);
      // If the ledger fails, the next start releases the leases.
      if (unanswered.length > 0) await queue.recover().catch(() => {});
      return withUnanswered(stops.reason(), unanswered.length);
    },
  };
}

/** A service whose client cannot be opened stops. */
async function openClients(router: Router, stops: Stops, calls: readonly LeasedCall[]) {
  for (const serviceIndex of new Set(calls.map((leased) => leased.serviceIndex))) {
    try {
      if (!stops.isStopped(serviceIndex)) await router.open(serviceIndex);
    } catch (error) {
      stops.stop(serviceIndex, error);
    }
  }
}

function withUnanswered(reason: unknown, unanswered: number) {
  if (unanswered === 0 || !(reason instanceof DossierError)) return reason;
  return withSentence(
    reason,
    `Unanswered calls that may have been charged: ${unanswered}; \`dossier status\` lists them`,
  );
}

function createWakeUp() {
  let wake: (() => void) | undefined;
  let isNotified = false;
  return {
    notify() {
      isNotified = true;
      wake?.();
    },
    /** Returns at once if it was notified since the last wait. */
    async wait(ms: number) {
      if (!isNotified) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
        wake = undefined;
      }
      isNotified = false;
    },
  };
}
