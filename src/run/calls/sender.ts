import type { Call, CallResult, Hit } from '../../core/contract/call.ts';
import { DossierError, UnansweredError, withSentence } from '../../core/errors.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ServiceClient } from '../run-parts.ts';
import type { CallingOptions } from './call-loop.ts';

export interface SentAnswer extends Answer {
  readonly serviceIndex: number;
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
) {
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
      const answer = {
        callId,
        serviceIndex,
        result,
        fetchedAt,
        operationToCount: charges.operationOf(call),
      };
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
    await queue.returnUnsent(returned, charges.drainRefunds());
    for (const callId of returned) charges.leased.delete(callId);
  };

  return {
    answers,
    unsent,
    stops,
    returnUnsent,
    waitForEnd: callEnded.wait,
    stateOf(index: number) {
      const { inFlight, failures } = serviceAt(index);
      return { inFlight, undecided: failures.count(), isStopped: stops.isStopped(index) };
    },
    countInFlight: () => services.reduce((sum, { inFlight }) => sum + inFlight, 0),
    countUnstored: () =>
      services.reduce((sum, { failures }) => sum + failures.count(), answers.length),
    noteStored: ({ result, serviceIndex }: SentAnswer) => router.noteStored(result, serviceIndex),
    async send(calls: readonly LeasedCall[]) {
      for (const serviceIndex of new Set(calls.map((leased) => leased.serviceIndex))) {
        try {
          if (!stops.isStopped(serviceIndex)) await router.open(serviceIndex);
        } catch (error) {
          stops.stop(serviceIndex, error);
        }
      }
      stops.noteStop();
      for (const leased of calls) {
        if (!stops.isStopped(leased.serviceIndex)) void sendOne(leased);
        else {
          charges.refund(leased.call, leased.serviceIndex);
          unsent.push(leased.callId);
        }
      }
    },
    /** For an answer whose presumed company is not in its body. */
    judgeAgain({ callId, result }: SentAnswer) {
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
    /** Stores what is left, and returns the reason for the stop. */
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

export type Sender = ReturnType<typeof createSender>;

function withUnanswered(reason: unknown, unanswered: number) {
  if (unanswered === 0 || !(reason instanceof DossierError)) return reason;
  return withSentence(
    reason,
    `Unanswered calls that may have been charged: ${unanswered}; \`dossier status\` lists them`,
  );
}

/** Why no more calls are sent: of the whole run, or of one of several services. */
function createStops(serviceCount: number, stopping: AbortSignal) {
  let ofRun: { readonly reason: unknown } | undefined;
  const ofServices: (typeof ofRun)[] = [];
  return {
    isRunStopped: () => ofRun !== undefined,
    isStopped: (serviceIndex: number) => (ofRun ?? ofServices[serviceIndex]) !== undefined,
    noteStop() {
      if (stopping.aborted) ofRun ??= { reason: stopping.reason };
    },
    /** An error of a service stops only its calls, if there are others. */
    stop(serviceIndex: number, reason: unknown) {
      const isOfService = reason instanceof DossierError && !stopping.aborted;
      if (serviceCount > 1 && isOfService) ofServices[serviceIndex] ??= { reason };
      else ofRun ??= { reason };
    },
    reason: () => (ofRun ?? ofServices.find(Boolean))?.reason,
  };
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

/**
 * A failed call waits for the next answer, which shows that the service works. If the run stops
 * first, the call stays open.
 */
function createUndecidedFailures() {
  let waiting: SentAnswer[] = [];
  return {
    count: () => waiting.length,
    /** Returns the answers that can be stored now. */
    add(answer: SentAnswer): SentAnswer[] {
      if (answer.result.kind === 'failed') {
        waiting.push(answer);
        return [];
      }
      if (waiting.length === 0) return [answer];
      const isHit = answer.result.kind === 'hit';
      // A result fetched elsewhere may be older than a failure. Then it does not show that the
      // service works again.
      const { shown = [], open = [] } = Object.groupBy(waiting, ({ result, fetchedAt }) =>
        fetchedAt <= answer.fetchedAt || (isHit && 'missIfProven' in result) ? 'shown' : 'open',
      );
      waiting = open;
      return [...decided(shown, isHit), answer];
    },
    drain: () => decided(waiting.splice(0), false),
  };
}

/** A hit proves that the address is right, so an empty 404 means that nothing was found. */
function decided(failures: readonly SentAnswer[], hasFound: boolean) {
  return failures.map((answer) => {
    if (answer.result.kind !== 'failed') return answer;
    const { missIfProven, ...failed } = answer.result;
    return { ...answer, result: (hasFound && missIfProven) || failed };
  });
}

/** One client for each service of a job, behind the interface of one. */
export interface Router extends AsyncDisposable {
  /** Before the first call of a service, so that unused services get no connection. */
  open(serviceIndex: number): Promise<void>;
  send(leased: LeasedCall, signal: AbortSignal, misread?: Hit): Promise<CallResult>;
  /** Throws if no call was answered because the service could not be reached. */
  requireAnswers(serviceIndex: number): void;
  noteStored(result: CallResult, serviceIndex: number): void;
  stop(error: Error): void;
  requestsInFlight(): { readonly calls: readonly Call[]; readonly atMostMs: number };
}

export function createRouter(openClient: (serviceIndex: number) => Promise<ServiceClient>): Router {
  const clients: ServiceClient[] = [];
  const isOpen = (client: ServiceClient | undefined) => client !== undefined;
  return {
    async open(serviceIndex) {
      clients[serviceIndex] ??= await openClient(serviceIndex);
    },
    async send({ call, serviceIndex, hasFailed }, signal, misread) {
      const client = clients[serviceIndex];
      if (!client) throw new Error(`service ${serviceIndex} is not open`);
      return await client.send(call, signal, hasFailed, misread);
    },
    requireAnswers: (serviceIndex) => clients[serviceIndex]?.requireAnswers?.(),
    noteStored: (result, serviceIndex) => clients[serviceIndex]?.noteStored?.(result),
    stop(error) {
      for (const client of clients.filter(isOpen)) client.stop?.(error);
    },
    requestsInFlight() {
      const requests = clients.flatMap((client) => client?.requestsInFlight?.() ?? []);
      return {
        calls: requests.flatMap(({ calls }) => calls),
        atMostMs: Math.max(0, ...requests.map(({ atMostMs }) => atMostMs)),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.filter(isOpen)) await client[Symbol.asyncDispose]?.();
    },
  };
}
