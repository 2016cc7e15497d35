import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DossierError, UnansweredError, withSentence } from '../../core/errors.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { affordableCalls, type SpentBudget } from '../../core/rules/shared-budget.ts';
import { localMinute } from '../../core/runtime/budget/calendar.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { freeBytesAt } from '../../core/runtime/files/disk.ts';
import { counted, formatNumber } from '../../core/runtime/format.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import type { RunParts, ServiceClient } from '../run-parts.ts';
import { type Charges, createCharges, type StartBudget } from './charges.ts';

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
  parts: Omit<RunParts, 'version'> & { hasEverFound: boolean; budget: StartBudget },
  deadStarts = 0,
): Promise<Counts> {
  await using queue = opened.queue;
  if (opened.counts.calls.open === 0) return opened.counts;
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
  let client: ServiceClient | undefined;
  const open = async () => {
    client = await parts.openClient({ hasEverFound, budget: charges });
    return client;
  };
  const abandoning = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    const { calls, atMostMs } = client?.requestsInFlight?.() ?? { calls: [], atMostMs: 0 };
    client?.stop?.(stopping.reason as Error);
    observer.onStop?.({
      answers: calls.length,
      atMostMs,
      unanswered: () => [...charges.leased.values()],
    });
    grace = setTimeout(() => abandoning.abort(stopping.reason), graceMs);
  };
  stopping.addEventListener('abort', stop, { once: true });
  try {
    return await callLoop(queue, open, {
      clock,
      limits,
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
    await client?.[Symbol.asyncDispose]?.();
  }
}

export function requireDiskSpace(ledger: string, concurrency: number): void {
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
function mostInFlight(atOnce: number, { concurrency, rate }: CallingOptions['limits']) {
  if (atOnce < Math.max(concurrency, 32)) return atOnce;
  const queued = atOnce * (rate === 'none' ? queuedPerConnection : 1);
  return atOnce + Math.min(queued, mostQueued);
}

interface CallingOptions {
  readonly clock: Clock;
  readonly limits: Pick<ResolvedJob['limits'], 'concurrency' | 'rate' | 'attempts'>;
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
 */
export async function callLoop(
  queue: RunQueue,
  open: () => Promise<ServiceClient>,
  options: CallingOptions,
): Promise<Counts> {
  const { clock, limits, charges, signal, deadStarts = 0, onProgress } = options;
  const { budget } = charges;
  const sender = createSender(queue, open, options);
  const { inFlight, answers, failures, unsent, stopped } = sender;
  let counts = await queue.counts();
  let stored = 0;
  let exchangedAt = clock.monotonicMs();

  const exchange = async (batch: readonly Answer[], room: number) => {
    const exchanging = queue.exchange(batch, room, charges.drainRefunds());
    const exchanged = await exchanging.catch((error: unknown) => {
      throw withLostAnswers(error, batch.length + answers.length + failures.count(), inFlight.size);
    });
    for (const answer of batch) {
      budget.noteAnswer(answer);
      charges.leased.delete(answer.callId);
      sender.release(answer);
    }
    stored += batch.length;
    exchangedAt = clock.monotonicMs();
    counts = exchanged.counts;
    onProgress?.(counts);
    budget.refund(room - exchanged.calls.length);
    charges.noteLeased(exchanged.calls, exchanged.reserved);
    const { vanished } = exchanged;
    if (vanished !== undefined) throw new DossierError('STILL_VANISHED', vanished);
    return exchanged;
  };

  /** An exchange is a commit, so it waits for a batch of answers or for room to lease calls. */
  const waitBeforeExchange = (wanted: number, atOnce: number, maxInFlight: number) => {
    const sinceMs = clock.monotonicMs() - exchangedAt;
    if (answers.length >= batchSize || (answers.length > 0 && sinceMs >= batchMs)) return 0;
    // Three quarters of the calls keep the connections busy during the commit.
    const isLeaseDue = inFlight.size <= Math.max(atOnce, maxInFlight * 0.75);
    // With nothing in flight, only an exchange shows whether the run has ended.
    if (!isLeaseDue || (wanted === 0 && inFlight.size > 0)) return batchMs;
    const areMostIdle = inFlight.size * 2 <= atOnce;
    return areMostIdle || sinceMs >= gatherMs ? 0 : gatherMs;
  };

  for (;;) {
    onProgress?.(counts);
    sender.noteStop();
    await sender.releaseUnsent();

    const atOnce = allowedAtOnce(limits.concurrency, deadStarts, stored);
    const maxInFlight = mostInFlight(atOnce, limits);
    const affordable = affordableCalls(budget, inFlight.size, limits.attempts);
    const fitting = countFitting(answers);
    // If the answers exceed one batch, leases no calls until they are stored, because more answers
    // would fill up the memory.
    const isFull = fitting < answers.length;
    const freeSlots = Math.min(maxInFlight - inFlight.size, affordable);
    const wanted = stopped.aborted || isFull ? 0 : freeSlots;
    const waitMs = isFull ? 0 : waitBeforeExchange(wanted, atOnce, maxInFlight);
    if (waitMs > 0) {
      await sender.waitForEnd(waitMs);
      continue;
    }

    const room = budget.reserve(wanted);
    const { calls, left, spent } = await exchange(answers.splice(0, fitting), room);
    await sender.send(calls);

    // More to do now: answers to store, or calls that the cache may answer.
    if (isFull || (left === 'unseen' && !stopped.aborted)) {
      await nextTurn();
      continue;
    }
    if (inFlight.size + answers.length > 0) {
      await sender.waitForEnd(batchMs);
      continue;
    }
    // Nothing is in flight, and everything received is stored, except undecided failures.
    if (stopped.aborted) throw await sender.end();
    if (failures.count() > 0) sender.decideFailures();
    else if (left === 'elsewhere') await clock.sleep(otherRunsPollMs, signal);
    else if (counts.calls.open === 0) return counts;
    // Calls that ended unsent during `exchange` are still leased. The next iteration frees them.
    else if (unsent.length > 0) continue;
    else if (room > 0 && !spent)
      throw new Error(
        `bug: ${counted(counts.calls.open, 'call is', 'calls are')} open, but the queue leased none`,
      );
    else throw budgetSpent(budget.limit, spent, counts.calls.open);
  }
}

/** Sends leased calls. Each ends in `answers`, `failures`, `unsent` or `unanswered`. */
function createSender(
  queue: RunQueue,
  open: () => Promise<ServiceClient>,
  { clock, charges, stopping, signal }: CallingOptions,
) {
  let client: ServiceClient | undefined;
  const inFlight = new Set<number>();
  const answers: Answer[] = [];
  const failures = createUndecidedFailures();
  const unsent: number[] = [];
  const unanswered: number[] = [];
  const stop = new AbortController();
  const stopped = stop.signal;
  const callEnded = createWakeUp();

  const noteStop = () => {
    if (stopping.aborted) stop.abort(stopping.reason);
  };
  const sendOne = async (api: ServiceClient, { callId, call, hasFailed }: LeasedCall) => {
    inFlight.add(callId);
    try {
      const result = await api.send(call, signal, hasFailed);
      const fetchedAt = result.fetchedAt ?? clock.wallMs();
      answers.push(...failures.add({ callId, result, fetchedAt, charged: charges.end(call) }));
    } catch (error) {
      const isKnown = error instanceof DossierError;
      // Without budget for a retry, this call stays open and the run continues.
      if (!isKnown || error.code !== 'BUDGET_SPENT') {
        stop.abort(error instanceof UnansweredError ? error.cause : error);
      }
      // After these errors no request was sent, but an aborted call may have been charged.
      const isUnsent = (isKnown || error === stopping.reason) && !signal.aborted;
      (isUnsent ? unsent : unanswered).push(callId);
    }
    inFlight.delete(callId);
    callEnded.notify();
  };
  const releaseUnsent = async () => {
    if (unsent.length === 0) return;
    const released = unsent.splice(0);
    await queue.release(released, charges.drainRefunds());
    for (const callId of released) charges.leased.delete(callId);
  };

  return {
    inFlight,
    answers,
    failures,
    unsent,
    stopped,
    noteStop,
    releaseUnsent,
    waitForEnd: callEnded.wait,
    async send(calls: readonly LeasedCall[]) {
      try {
        if (calls.length > 0 && !stopped.aborted) client ??= await open();
      } catch (error) {
        stop.abort(error);
      }
      noteStop();
      for (const leased of calls) {
        if (client && !stopped.aborted) void sendOne(client, leased);
        else {
          charges.refund(leased.call);
          unsent.push(leased.callId);
        }
      }
    },
    release: ({ result }: Answer) => client?.release?.(result),
    decideFailures() {
      try {
        client?.requireAnswers?.();
        answers.push(...failures.drain());
      } catch (error) {
        stop.abort(error);
      }
    },
    /** Stores what is left, and returns the reason for the stop. */
    async end() {
      await releaseUnsent();
      const open = failures.drain().map((one) => ({ ...one, staysOpen: true as const }));
      if (open.length > 0) await queue.exchange(open, 0);
      // If the ledger fails, the next start releases the leases.
      if (unanswered.length > 0) await queue.recover().catch(() => {});
      return withUnanswered(stopped.reason, unanswered.length);
    },
  };
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
  let waiting: Answer[] = [];
  return {
    count: () => waiting.length,
    /** Returns the answers that can be stored now. */
    add(answer: Answer): Answer[] {
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
function decided(failures: readonly Answer[], hasFound: boolean) {
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
  const shared = spent
    ? `: all jobs on this ledger made ${counted(spent.used, 'request')} with this key (${spent.period}). The budget resets at ${localMinute(spent.freeAtMs, spent.timezone)} ${spent.timezone}`
    : '';
  const budget = spent
    ? `${counted(spent.limit, 'request')} a ${spent.per}`
    : `${ofStart} for this start`;
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${budget} is spent${shared}. Lookups still open: ${formatNumber(open)}`,
  );
}
