import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DossierError, UnansweredError, withSentence } from '../../core/errors.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { affordableCalls, type SpentBudget } from '../../core/rules/shared-budget.ts';
import { localMinute } from '../../core/values/calendar.ts';
import { counted, formatNumber } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit } from '../../core/values/money.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob, ResolvedService } from '../../job/resolve-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { freeBytesAt } from '../../platform/files/disk.ts';
import type { RunParts } from '../run-parts.ts';
import { type Charges, createCharges, type StartBudget } from './charges.ts';
import { createRouter, type Router } from './create-router.ts';

/** A commit to disk costs as much as 200 inserts. */
const batchSize = 200;
const batchMs = 50;
/** Limits memory: the bodies of a batch are copied together. */
const batchBytes = 32 * 1_024 * 1_024;
/** While most calls are in flight, an exchange waits this long for more answers. */
const gatherMs = 2;
const otherRunsPollMs = 200;
const answersPerExtraCall = 4;
/** Measured without a rate limit: seven use more CPU and memory than three and are no faster. */
const queuedPerConnection = 3;
const mostQueued = 64 * queuedPerConnection;
/** Added to the timeout of a call when a run stops, for a slow commit or response body. */
const graceMarginMs = 2_000;
const leastFreeBytes = 1_024 * 1_024;
/** One large compressed answer, with its part of SQLite's log. */
const bytesPerCall = 64 * 1_024;

export async function completeOpenCalls(
  opened: { readonly queue: RunQueue; readonly counts: Counts },
  job: ResolvedJob,
  parts: Omit<RunParts, 'version'> & { hasEverFound: readonly boolean[]; budget: StartBudget },
  deadStarts = 0,
): Promise<Counts> {
  await using queue = opened.queue;
  // Rows may also wait for the decision whether the next service is asked.
  if (opened.counts.calls.open + opened.counts.rows.open === 0) return opened.counts;
  const { clock, signal: stopping, observer, hasEverFound } = parts;
  const { limits, ledger } = job;
  const { graceMs = limits.timeoutMs + graceMarginMs } = parts;
  stopping.throwIfAborted();
  requireDiskSpace(ledger, limits.concurrency);
  if (deadStarts > 0) {
    const callsAtOnce = allowedAtOnce(limits.concurrency, deadStarts, 0);
    observer.onFewerCalls?.({ deadStarts, callsAtOnce });
  }
  const charges = createCharges(queue, clock, parts.budget);
  const router = createRouter((service) => {
    const budget = charges.of(service);
    return parts.openClient({ hasEverFound: hasEverFound[service] === true, budget }, service);
  });
  const abandoning = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    const { calls, atMostMs } = router.requestsInFlight();
    router.stop(stopping.reason as Error);
    observer.onStop?.({
      answers: calls.length,
      atMostMs,
      unanswered: () => [...charges.leased.values()],
    });
    grace = setTimeout(() => abandoning.abort(stopping.reason), graceMs);
  };
  stopping.addEventListener('abort', stop, { once: true });
  try {
    return await callLoop(queue, router, {
      clock,
      limits,
      services: job.services,
      charges,
      stopping,
      signal: abandoning.signal,
      deadStarts,
      onProgress: (counts) => observer.onProgress(counts),
    });
  } finally {
    clearTimeout(grace);
    stopping.removeEventListener('abort', stop);
    // If the ledger fails, refunds are lost, so their requests count as charged.
    await charges.settle().catch(() => {});
    await router[Symbol.asyncDispose]();
  }
}

function requireDiskSpace(ledger: string, concurrency: number): void {
  // The ledger may be a link to a different disk.
  const freeBytes = freeBytesAt(existsSync(ledger) ? ledger : dirname(ledger));
  if (freeBytes === undefined || freeBytes >= leastFreeBytes + concurrency * bytesPerCall) return;
  const free = `${Math.floor(freeBytes / 1_024)} KB`;
  throw new DossierError(
    'LEDGER_TROUBLE',
    `${ledger} has only ${free} left on its disk; answers would be paid for and lost`,
  );
}

/**
 * If earlier starts of this run died, this start may die too, and its calls in flight would be paid
 * for twice. So it begins with fewer calls at a time, and adds more as answers are stored.
 */
function allowedAtOnce(concurrency: number, deadStarts: number, stored: number) {
  const atFirst = Math.max(1, Math.floor(concurrency / 2 ** deadStarts));
  return Math.min(concurrency, atFirst + Math.floor(stored / answersPerExtraCall));
}

/** Calls queued in the client keep the connections busy during a commit. */
function mostInFlight(
  atOnce: number,
  { concurrency }: CallingOptions['limits'],
  rate: ResolvedJob['limits']['rate'],
) {
  if (atOnce < Math.max(concurrency, 32)) return atOnce;
  const queued = atOnce * (rate === 'none' ? queuedPerConnection : 1);
  return atOnce + Math.min(queued, mostQueued);
}

interface CallingOptions {
  readonly clock: Clock;
  readonly limits: Pick<ResolvedJob['limits'], 'concurrency' | 'rate' | 'attempts'>;
  /** Absent: one, with the rate of the limits. */
  readonly services?: readonly Pick<ResolvedService, 'rate'>[];
  readonly charges: Charges;
  /** Stops the run. Requests in flight continue. */
  readonly stopping: AbortSignal;
  /** Abandons requests in flight too. */
  readonly signal: AbortSignal;
  readonly deadStarts?: number;
  readonly onProgress?: (counts: Counts) => void;
}

/**
 * The process may die at any time, so these rules must hold:
 * - A call is leased before its request leaves. After a crash, leased calls may have been charged.
 * - One commit stores answers and leases the next calls.
 * - A leased call is answered, `unsent` and released, or `unanswered` and possibly charged.
 * - Requests are reserved in the budget before calls are leased.
 * - After a stop, the loop throws only when everything received is stored.
 * - If one of several services stops, calls to the others go on. Then the loop throws its reason.
 */
export async function callLoop(
  queue: RunQueue,
  router: Router,
  options: CallingOptions,
): Promise<Counts> {
  const { clock, limits, services = [{}], charges, signal, deadStarts = 0, onProgress } = options;
  const { budget } = charges;
  const sender = createSender(queue, router, options);
  const { lanes, answers, unsent, stopped } = sender;
  const inFlight = () => lanes.reduce((sum, lane) => sum + lane.inFlight.size, 0);
  let drained: readonly boolean[] = [];
  let counts = await queue.counts();
  let stored = 0;
  let exchangedAt = clock.monotonicMs();

  const exchange = async (batch: readonly SentAnswer[], rooms: readonly number[]) => {
    const exchanging = queue.exchange(batch, rooms, charges.drainRefunds());
    const exchanged = await exchanging.catch((error: unknown) => {
      const unstored = batch.length + answers.length + sender.countFailures();
      throw withLostAnswers(error, unstored, inFlight());
    });
    for (const answer of batch) {
      budget.noteAnswer(answer, answer.service);
      charges.leased.delete(answer.callId);
      sender.release(answer);
    }
    drained = exchanged.drained ?? [];
    stored += batch.length;
    exchangedAt = clock.monotonicMs();
    counts = exchanged.counts;
    onProgress?.(counts);
    for (const [index, room] of rooms.entries()) {
      const leased = exchanged.calls.filter(({ service }) => service === index).length;
      budget.refund(Math.max(room, 0) - leased, index);
    }
    charges.noteLeased(exchanged.calls, exchanged.reserved);
    const { vanished } = exchanged;
    if (vanished !== undefined) throw new DossierError('STILL_VANISHED', vanished);
    return exchanged;
  };

  /** An exchange is a commit, so it waits for a batch of answers or for room to lease calls. */
  const waitBeforeExchange = (
    wanted: readonly number[],
    atOnce: number,
    most: readonly number[],
  ) => {
    const sinceMs = clock.monotonicMs() - exchangedAt;
    if (answers.length >= batchSize || (answers.length > 0 && sinceMs >= batchMs)) return 0;
    // Three quarters of the calls keep the connections busy during the commit.
    const due = lanes.filter(
      ({ inFlight: sent }, index) =>
        sent.size <= Math.max(atOnce, (most[index] ?? 0) * 0.75) &&
        // Only answers of the other services bring calls for such a service.
        (lanes.length === 1 || drained[index] !== true),
    );
    // With nothing in flight, only an exchange shows whether the run has ended.
    if (inFlight() === 0) return 0;
    const isWanted = wanted.some((room) => room > 0);
    if (due.length === 0 || !isWanted) return batchMs;
    const areMostIdle = due.some(({ inFlight: sent }) => sent.size * 2 <= atOnce);
    return areMostIdle || sinceMs >= gatherMs ? 0 : gatherMs;
  };

  for (;;) {
    onProgress?.(counts);
    sender.noteStop();
    await sender.releaseUnsent();

    const atOnce = allowedAtOnce(limits.concurrency, deadStarts, stored);
    const most = services.map(({ rate = limits.rate }) => mostInFlight(atOnce, limits, rate));
    const fitting = countFitting(answers);
    // If the answers exceed one batch, leases no calls until they are stored, because more answers
    // would fill up the memory.
    const isFull = fitting < answers.length;
    const wanted = lanes.map((lane, index) => {
      if (stopped.aborted || isFull) return 0;
      // Calls that the cache answers are completed even if their service has stopped.
      if (lane.stop.signal.aborted) return drained[index] && answers.length === 0 ? -1 : 0;
      const left = budget.leftAt(index);
      const affordable = affordableCalls({ left }, lane.inFlight.size, limits.attempts);
      return Math.min((most[index] ?? 0) - lane.inFlight.size, affordable);
    });
    const waitMs = isFull ? 0 : waitBeforeExchange(wanted, atOnce, most);
    if (waitMs > 0) {
      await sender.waitForEnd(waitMs);
      continue;
    }

    const rooms = wanted.map((room, index) => (room > 0 ? budget.reserve(room, index) : room));
    const { calls, left, spent } = await exchange(answers.splice(0, fitting), rooms);
    await sender.send(calls);

    // Do not wait for the network yet: answers are left to store, or open calls may be in the cache.
    if (isFull || (left === 'unseen' && !stopped.aborted)) {
      await nextTurn();
      continue;
    }
    if (inFlight() + answers.length > 0) {
      await sender.waitForEnd(batchMs);
      continue;
    }
    // Nothing is in flight, and everything received is stored, except undecided failures.
    if (stopped.aborted) throw await sender.end();
    if (sender.hasUndecided()) sender.decideFailures();
    else if (left === 'elsewhere') await clock.sleep(otherRunsPollMs, signal);
    else if (counts.calls.open === 0) return counts;
    // Calls that ended unsent during `exchange` are still leased. The next iteration frees them.
    else if (unsent.length > 0) continue;
    else if (lanes.some(({ stop }) => stop.signal.aborted)) throw await sender.end();
    else if (rooms.every((room) => room > 0) && !spent)
      throw new Error(
        `bug: ${counted(counts.calls.open, 'call is', 'calls are')} open, but the queue leased none`,
      );
    else {
      const empty = Math.max(rooms.indexOf(0), 0);
      throw budgetSpent(budget.limitOf(empty), spent, counts.calls.open);
    }
  }
}

/** Sends leased calls. Each ends in `answers`, `failures`, `unsent` or `unanswered`. */
function createSender(
  queue: RunQueue,
  router: Router,
  { clock, services = [{}], charges, stopping, signal }: CallingOptions,
) {
  const lanes = services.map(() => ({
    inFlight: new Set<number>(),
    failures: createUndecidedFailures(),
    stop: new AbortController(),
  }));
  const laneOf = (service: number) => lanes[service] as (typeof lanes)[number];
  const answers: SentAnswer[] = [];
  const unsent: number[] = [];
  const unanswered: number[] = [];
  const stop = new AbortController();
  const stopped = stop.signal;
  const callEnded = createWakeUp();

  const noteStop = () => {
    if (stopping.aborted) stop.abort(stopping.reason);
  };
  /** An error of a service stops only its calls, if there are others. */
  const stopAt = (service: number, reason: unknown) => {
    const isOfService = reason instanceof DossierError && !stopping.aborted;
    if (lanes.length > 1 && isOfService) laneOf(service).stop.abort(reason);
    else stop.abort(reason);
  };
  const isStopped = (service: number) => stopped.aborted || laneOf(service).stop.signal.aborted;
  const sendOne = async (leased: LeasedCall) => {
    const { callId, call, service } = leased;
    const lane = laneOf(service);
    lane.inFlight.add(callId);
    try {
      const result = await router.send(leased, signal);
      const fetchedAt = result.fetchedAt ?? clock.wallMs();
      const answer = { callId, service, result, fetchedAt, charged: charges.end(call) };
      answers.push(...lane.failures.add(answer));
    } catch (error) {
      const isKnown = error instanceof DossierError;
      // Without budget for a retry, this call stays open and the run continues.
      if (!isKnown || error.code !== 'BUDGET_SPENT') {
        stopAt(service, error instanceof UnansweredError ? error.cause : error);
      }
      // After these errors no request was sent, but an aborted call may have been charged.
      const isUnsent = (isKnown || error === stopping.reason) && !signal.aborted;
      (isUnsent ? unsent : unanswered).push(callId);
    }
    lane.inFlight.delete(callId);
    callEnded.notify();
  };
  const releaseUnsent = async () => {
    if (unsent.length === 0) return;
    const released = unsent.splice(0);
    await queue.release(released, charges.drainRefunds());
    for (const callId of released) charges.leased.delete(callId);
  };

  return {
    lanes,
    answers,
    unsent,
    stopped,
    noteStop,
    releaseUnsent,
    waitForEnd: callEnded.wait,
    async send(calls: readonly LeasedCall[]) {
      for (const service of new Set(calls.map((leased) => leased.service))) {
        try {
          if (!isStopped(service)) await router.open(service);
        } catch (error) {
          stopAt(service, error);
        }
      }
      noteStop();
      for (const leased of calls) {
        if (!isStopped(leased.service)) void sendOne(leased);
        else {
          charges.refund(leased.call, leased.service);
          unsent.push(leased.callId);
        }
      }
    },
    countFailures: () => lanes.reduce((sum, { failures }) => sum + failures.count(), 0),
    hasUndecided: () =>
      lanes.some(({ failures }, index) => failures.count() > 0 && !isStopped(index)),
    release: ({ result, service }: SentAnswer) => router.release(result, service),
    decideFailures() {
      for (const [service, { failures }] of lanes.entries()) {
        if (failures.count() === 0 || isStopped(service)) continue;
        try {
          router.requireAnswers(service);
          answers.push(...failures.drain());
        } catch (error) {
          stopAt(service, error);
        }
      }
    },
    /** Stores what is left, and returns the reason for the stop. */
    async end() {
      await releaseUnsent();
      const failed = lanes.flatMap(({ failures }) => failures.drain());
      const open = failed.map((one) => ({ ...one, staysOpen: true as const }));
      if (open.length > 0) await queue.exchange(open, 0);
      // If the ledger fails, the next start releases the leases.
      if (unanswered.length > 0) await queue.recover().catch(() => {});
      const first = lanes.find(({ stop: ofLane }) => ofLane.signal.aborted)?.stop.signal;
      const { reason } = stopped.aborted ? stopped : (first ?? stopped);
      return withUnanswered(reason, unanswered.length);
    },
  };
}

interface SentAnswer extends Answer {
  readonly service: number;
}

function countFitting(answers: readonly Answer[]) {
  let bytes = 0;
  const tooLarge = answers.findIndex(({ result }, index) => {
    bytes += 'body' in result ? result.body.length : 0;
    return index > 0 && bytes > batchBytes;
  });
  return tooLarge === -1 ? answers.length : tooLarge;
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

function withUnanswered(reason: unknown, unanswered: number) {
  if (unanswered === 0 || !(reason instanceof DossierError)) return reason;
  return withSentence(
    reason,
    `Unanswered calls that may have been charged: ${unanswered}; \`dossier status\` lists them`,
  );
}

/** A lost ledger cannot list these calls, so the error counts them. */
function withLostAnswers(error: unknown, answers: number, inFlight: number) {
  if (!(error instanceof DossierError) || error.code !== 'LEDGER_MISSING') return error;
  return withSentence(
    error,
    `Answers lost before they were stored: ${answers}. Up to ${counted(inFlight, 'call')} in flight may have been charged`,
  );
}

function budgetSpent(ofStart: string, spent: SpentBudget | undefined, open: number) {
  const { service, currency } = spent ?? {};
  const amount = (used: number) =>
    currency ? formatMoney(currency, used / microsPerUnit) : counted(used, 'request');
  const made = currency ? 'spent' : 'made';
  const where = service ? `at ${service}` : 'with this key';
  const shared = spent
    ? `: all jobs on this ledger ${made} ${amount(spent.used)} ${where} (${spent.period}). The budget resets at ${localMinute(spent.freeAtMs, spent.timezone)} ${spent.timezone}`
    : '';
  const budget = spent
    ? `${amount(spent.limit)} a ${spent.per}${service ? ` for ${service}` : ''}`
    : `${ofStart} for this start`;
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${budget} is spent${shared}. Lookups still open: ${formatNumber(open)}`,
  );
}
