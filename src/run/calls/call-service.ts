import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DossierError, UnansweredError, withSentence } from '../../core/errors.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { affordableCalls, type SpentBudget } from '../../core/rules/shared-budget.ts';
import { localMinute } from '../../core/runtime/budget/calendar.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { freeBytesAt } from '../../core/runtime/files/disk.ts';
import type { Answer, LeasedCall, RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { RunParts, ServiceCalls, ServiceClient } from '../run-parts.ts';
import { type Charges, openCharges, type StartBudget } from './charges.ts';

/** A commit to disk costs as much as 200 inserts, so answers are stored in batches. */
const batchSize = 200;
const batchMs = 50;
/** Each batch is copied as a whole, so its size is limited. */
const batchBytes = 32 * 1_024 * 1_024;
/** While most calls are in flight, more answers arrive within 2 ms, so a commit waits for them. */
const gatherMs = 2;
/** How often to check whether a different run has stored an awaited answer. */
const awaitMs = 200;
const roundsToDouble = 4;
/** Limit of calls queued in the client. They keep the connections busy during a commit. */
const mostWaiting = 448;
/** Added to the timeout, for a slow commit or a paused response body. */
const graceMarginMs = 2_000;
const leastFreeBytes = 1_024 * 1_024;
/** Disk space for one large compressed answer, including its part of SQLite's log. */
const bytesPerCall = 64 * 1_024;

/** Makes the open calls, then closes the queue. A signal stops it after the requests in flight. */
export async function resolveCalls(
  opened: { readonly queue: RunQueue; readonly counts: Counts },
  job: ResolvedJob,
  parts: Omit<RunParts, 'version'> & { isProven: boolean; budget: StartBudget },
  deadStarts = 0,
): Promise<Counts> {
  await using queue = opened.queue;
  if (opened.counts.calls.open === 0) return opened.counts;
  const { clock, signal: stopping, observer, isProven } = parts;
  const { limits, ledger } = job;
  const { graceMs = limits.timeoutMs + graceMarginMs } = parts;
  stopping.throwIfAborted();
  requireRoom(ledger, limits.concurrency);
  if (deadStarts > 0) {
    const callsAtOnce = callsAfter(deadStarts, limits.concurrency);
    observer.onFewerCalls?.({ deadStarts, callsAtOnce });
  }
  const charges = openCharges(queue, clock, parts.budget);
  let client: ServiceClient | undefined;
  const open = async () => {
    client = await parts.openClient({ isProven, budget: charges });
    return client;
  };
  const wire = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const onWire = () => client?.onWire?.() ?? { calls: [], atMostMs: 0 };
  const stop = () => {
    const { calls, atMostMs } = onWire();
    client?.stop(stopping.reason as Error);
    observer.onStop?.({
      answers: calls.length,
      atMostMs,
      unanswered: () => [...charges.leased.values()],
    });
    grace = setTimeout(() => wire.abort(stopping.reason), graceMs);
  };
  stopping.addEventListener('abort', stop, { once: true });
  const { signal } = wire;
  const onProgress = (counts: Counts) => observer.onProgress(counts);
  const options = { clock, limits, charges, stopping, signal, deadStarts, onProgress };
  try {
    return await callService(queue, open, options);
  } finally {
    clearTimeout(grace);
    stopping.removeEventListener('abort', stop);
    // If the ledger fails, refunds are lost, so their requests count as charged.
    await charges.settle().catch(() => {});
    await client?.[Symbol.asyncDispose]();
  }
}

/** Throws if the disk is nearly full, because answers would be paid for and lost. */
export function requireRoom(ledger: string, concurrency: number): void {
  // The ledger may be a link to a different disk, so check where the file is.
  const freeBytes = freeBytesAt(existsSync(ledger) ? ledger : dirname(ledger));
  if (freeBytes === undefined || freeBytes >= leastFreeBytes + concurrency * bytesPerCall) return;
  const free = `${Math.floor(freeBytes / 1_024)} KB`;
  throw new DossierError(
    'LEDGER_TROUBLE',
    `${ledger} has only ${free} left on its disk; answers would be paid for and lost`,
  );
}

/**
 * Halves the calls at once for each dead start. The cause, for example low memory, may kill this
 * start too, and calls in flight would be paid for again.
 */
function callsAfter(deadStarts: number, concurrency: number): number {
  return Math.max(1, Math.floor(concurrency / 2 ** deadStarts));
}

/** With high concurrency, some calls also queue in the client, so connections stay busy. */
function mostInFlight({ concurrency, rate }: CallingOptions['limits']) {
  if (concurrency < 32) return concurrency;
  const waiting = concurrency * (rate === 'none' ? 7 : 1);
  return concurrency + Math.min(waiting, mostWaiting);
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
 * The loop between queue and client: leases calls, sends them, stores their answers. The process
 * may die at any time, so it follows these rules:
 * - A call is leased in the ledger before its request leaves. After a crash, the leases are the
 *   calls that may have been charged.
 * - One exchange stores answers and leases the next calls in one commit.
 * - Every leased call ends in exactly one way: its answer is stored, it is `unsent` and released,
 *   or it is `unanswered` and stays recorded as possibly charged.
 * - Requests are reserved in the budget before calls are leased. What was not leased is refunded.
 * - After a stop no call is sent. The loop throws only when all calls in flight have ended and
 *   everything received is stored.
 */
export async function callService(
  queue: RunQueue,
  open: () => Promise<ServiceCalls>,
  { clock, limits, charges, stopping, signal, deadStarts = 0, onProgress }: CallingOptions,
): Promise<Counts> {
  const { budget } = charges;
  const { concurrency, attempts } = limits;
  let atOnce = callsAfter(deadStarts, concurrency);
  let storedAtThisPace = 0;
  let exchangedAt = clock.monotonicMs();
  let counts = await queue.counts();
  let client: ServiceCalls | undefined;
  let inFlight = 0;
  /** Number of calls without an answer, which may have been charged. */
  let unanswered = 0;
  let stopped: { readonly by: unknown } | undefined;
  let unsent: number[] = [];
  const answers: Answer[] = [];
  /** Set while answers wait to be stored. New calls would fill up memory, so none are made. */
  let isFull = false;
  const failures = openFailures();
  const bell = openBell();

  const stop = (by: unknown) => {
    stopped ??= { by };
  };

  const send = async (api: ServiceCalls, { callId, call, hasFailed }: LeasedCall) => {
    try {
      const outcome = await api.send(call, signal, hasFailed);
      const fetchedAt = outcome.fetchedAt ?? clock.wallMs();
      answers.push(...failures.sift({ callId, outcome, fetchedAt, charged: charges.end(call) }));
    } catch (error) {
      const isKnown = error instanceof DossierError;
      // Without budget for a retry, this call stays open and the run continues.
      if (!isKnown || error.code !== 'BUDGET_SPENT') {
        stop(error instanceof UnansweredError ? error.cause : error);
      }
      // After these errors no request was sent. A call aborted in flight may have been charged.
      if ((isKnown || error === stopping.reason) && !signal.aborted) unsent.push(callId);
      else unanswered += 1;
    }
    inFlight -= 1;
    bell.ring();
  };

  const releaseUnsent = async () => {
    if (unsent.length === 0) return;
    const released = unsent;
    unsent = [];
    await queue.release(released, charges.take());
    for (const callId of released) charges.leased.delete(callId);
  };

  /** Decides whether only these calls failed, or the service is down and the run must stop. */
  const decideFailures = () => {
    try {
      client?.judge?.();
      answers.push(...failures.take());
    } catch (error) {
      stop(error);
    }
  };

  /** Called when no call is in flight any more. Returns the error that ends the run. */
  const storeRest = async (by: unknown) => {
    await releaseUnsent();
    const open = failures.take().map((one) => ({ ...one, staysOpen: true as const }));
    if (open.length > 0) await queue.exchange(open, 0);
    // If the ledger fails, the next start releases the leases.
    if (unanswered > 0) await queue.recover().catch(() => {});
    return withUnanswered(by, unanswered);
  };

  for (;;) {
    onProgress?.(counts);
    if (stopping.aborted) stop(stopping.reason);
    await releaseUnsent();

    const sinceMs = clock.monotonicMs() - exchangedAt;
    const maxInFlight = atOnce < concurrency ? atOnce : mostInFlight(limits);
    const affordable = affordableCalls(budget, inFlight, attempts);
    const wasFull = isFull;
    const wanted = stopped || wasFull ? 0 : Math.min(maxInFlight - inFlight, affordable);
    // Lease before the calls in flight run out: they keep the connections busy during the commit.
    const leaseBelow = Math.max(atOnce, maxInFlight * 0.75);
    const hasRoom = inFlight <= leaseBelow && (wanted > 0 || inFlight === 0);
    const isWorthACommit = inFlight * 2 <= atOnce || sinceMs >= gatherMs;
    const isBatchDue =
      wasFull || answers.length >= batchSize || (answers.length > 0 && sinceMs >= batchMs);
    if (!isBatchDue && !(hasRoom && isWorthACommit)) {
      await bell.heard(hasRoom ? gatherMs : batchMs);
      continue;
    }

    const room = budget.reserve(wanted);
    const batch = answers.splice(0, fitting(answers));
    isFull = answers.length > 0;
    const exchanging = queue.exchange(batch, room, charges.take());
    const { left, calls, reserved, spent, ...exchanged } = await exchanging.catch(
      (error: unknown) => {
        throw withLostAnswers(error, batch.length + answers.length + failures.count(), inFlight);
      },
    );
    for (const answer of batch) {
      budget.noteAnswer(answer);
      charges.leased.delete(answer.callId);
      client?.release?.(answer.outcome);
    }
    storedAtThisPace += batch.length;
    if (atOnce < concurrency && storedAtThisPace >= roundsToDouble * atOnce) {
      storedAtThisPace = 0;
      atOnce = Math.min(concurrency, 2 * atOnce);
    }
    exchangedAt = clock.monotonicMs();
    counts = exchanged.counts;
    onProgress?.(counts);
    budget.refund(room - calls.length);
    charges.noteLeased(calls, reserved);
    if (calls.length > 0 && !client && !stopped) {
      client = await open().catch((error: unknown) => {
        stop(error);
        return undefined;
      });
      if (stopping.aborted) stop(stopping.reason);
    }
    if (client && !stopped) {
      inFlight += calls.length;
      for (const call of calls) void send(client, call);
    } else {
      for (const { callId, call } of calls) {
        charges.refund(call);
        unsent.push(callId);
      }
    }

    if (isFull || wasFull || (left === 'unseen' && !stopped)) await nextTurn();
    else if (inFlight + answers.length > 0) await bell.heard(batchMs);
    else if (stopped) throw await storeRest(stopped.by);
    else if (failures.count() > 0) decideFailures();
    else if (left === 'elsewhere') await clock.sleep(awaitMs, signal);
    else if (counts.calls.open === 0) return counts;
    // Calls that came back unsent during the exchange are released in the next round.
    else if (unsent.length > 0) continue;
    else if (room > 0 && !spent) throw new Error('calls are open, and none of them can be made');
    else throw budgetSpent(budget.limit, spent, counts.calls.open);
  }
}

function fitting(answers: readonly Answer[]) {
  let bytes = 0;
  const tooLarge = answers.findIndex(({ outcome }, index) => {
    bytes += 'body' in outcome ? outcome.body.length : 0;
    return index > 0 && bytes > batchBytes;
  });
  return tooLarge === -1 ? answers.length : tooLarge;
}

/** Wakes the loop when a call ends. */
function openBell() {
  let wake: (() => void) | undefined;
  let hasRung = false;
  return {
    ring() {
      hasRung = true;
      wake?.();
    },
    /** Waits for a ring, at most `ms`. Returns at once if it has rung since the last wait. */
    async heard(ms: number) {
      if (!hasRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
        wake = undefined;
      }
      hasRung = false;
    },
  };
}

/**
 * A failed call waits here until the next answer shows that the service works, so the failure is
 * the call's own. If the run stops first, the call stays open.
 */
function openFailures() {
  let waiting: Answer[] = [];
  return {
    count: () => waiting.length,
    /** Returns the answers that can be stored now. */
    sift(answer: Answer): Answer[] {
      if (answer.outcome.kind === 'failed') {
        waiting.push(answer);
        return [];
      }
      if (waiting.length === 0) return [answer];
      const isHit = answer.outcome.kind === 'hit';
      // An answer from a different machine may be older than a failure, and then proves nothing.
      const { shown = [], open = [] } = Object.groupBy(waiting, ({ outcome, fetchedAt }) =>
        fetchedAt <= answer.fetchedAt || (isHit && 'missIfProven' in outcome) ? 'shown' : 'open',
      );
      waiting = open;
      return [...decided(shown, isHit), answer];
    },
    take: () => decided(waiting.splice(0), false),
  };
}

/** A hit proves that the address is right, so an empty 404 means that nothing was found. */
function decided(failures: readonly Answer[], isProven: boolean): Answer[] {
  return failures.map((answer) => {
    if (answer.outcome.kind !== 'failed') return answer;
    const { missIfProven, ...failed } = answer.outcome;
    return { ...answer, outcome: (isProven && missIfProven) || failed };
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
    `${answers} answers were not stored yet and are lost. Up to ${inFlight} calls in flight may have been charged`,
  );
}

function budgetSpent(ofStart: string, spent: SpentBudget | undefined, open: number) {
  const shared = spent
    ? `: ${spent.used} requests used this key (${spent.period}), across all jobs on this ledger. The budget starts again at ${localMinute(spent.freeAtMs, spent.timezone)} ${spent.timezone}`
    : '';
  const budget = spent ? `${spent.limit} requests a ${spent.per}` : `${ofStart} a start`;
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${budget} is spent${shared}. Lookups still open: ${open.toLocaleString('en')}`,
  );
}
