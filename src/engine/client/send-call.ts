import type { Call, CallResult, Hit } from '../../core/contract/call.ts';
import { DossierError, UnansweredError } from '../../core/errors.ts';
import { formatDuration } from '../../core/values/duration.ts';
import { CallRequest } from './call-request.ts';
import { type Attempt, isUnpaid, judgeMisread } from './make-attempt.ts';
import type { ClientParts } from './open-client.ts';

export type MakeAttempt = (request: CallRequest, signal: AbortSignal) => Promise<Attempt>;

/**
 * | the call ends with                    | its request is      | its row                           |
 * | ------------------------------------- | ------------------- | --------------------------------- |
 * | a hit or miss                         | answered            | gets the company, or moves on     |
 * | a rejected or unreadable answer       | answered            | is invalid, or failed             |
 * | a refusal, or throttling for too long | free, so given back | is failed                         |
 * | a failed last attempt                 | unknown or answered | is failed; an empty 404 is a miss |
 * |                                       |                     | once a hit proves the service     |
 * | no budget for a retry                 | unknown or answered | stays open                        |
 * | a stop before a request leaves        | given back          | stays open                        |
 * | a stop while one is on its way        | sent                | stays open, possibly charged      |
 */
export async function sendCall(
  parts: ClientParts,
  attemptOnce: MakeAttempt,
  call: Call,
  hasFailedBefore: boolean,
  signal: AbortSignal,
  misread?: Hit,
): Promise<CallResult> {
  const { breaker, clock, limit, onEvent, runStop } = parts;
  const request = new CallRequest(call, parts.budget);
  if (misread) request.state = 'answered';
  const stopOrAbort = runStop.or(signal);
  let received = misread;
  let attempts = misread?.attempts ?? 1;
  let throttledSinceMs: number | undefined;
  let isQueued = false;
  // Judge the answer before p-limit starts the next call, because the answer may stop the run.
  const attempt = async () => {
    isQueued = false;
    const made = received
      ? judgeMisread(parts, request, received)
      : await attemptOnce(request, signal);
    received = undefined;
    book(parts, request, made);
    return concludeAttempt(parts, request, hasFailedBefore, made, attempts);
  };
  try {
    for (;;) {
      stopOrAbort.throwIfAborted();
      isQueued = true;
      const end = await limit(attempt);
      // The service did not process the call, so it does not count as an attempt.
      if (end.kind === 'throttled') {
        throttledSinceMs ??= clock.monotonicMs();
        const throttledMs = clock.monotonicMs() - throttledSinceMs;
        if (throttledMs < parts.maxWaitMs) continue;
        // Answers to other calls show that waiting longer would not help.
        const reason = `the service throttled only this call, for ${formatDuration(throttledMs)}`;
        return { kind: 'failed', reason, attempts, durationMs: end.durationMs };
      }
      if (end.kind !== 'transient') return end;
      const { reason, missIfProven } = end;
      // Wait outside `limit`, so a waiting call does not count against the concurrency limit.
      const waitMs = backOffMs(attempts);
      const { operation } = call;
      onEvent({ type: 'retry.scheduled', operation, attempt: attempts, reason, waitMs });
      await clock.sleep(waitMs, stopOrAbort);
      if (missIfProven && breaker.hasEverFound) {
        // Another call got a hit meanwhile, so the 404 is a miss.
        breaker.noteAnswer('miss');
        return missIfProven;
      }
      if (request.mayBeCharged) await request.reserve();
      attempts += 1;
    }
  } catch (error) {
    // A stop clears p-limit's queue, which rejects waiting calls with an error of its own.
    if (isQueued && runStop.signal.aborted) throw runStop.signal.reason;
    if (signal.aborted && request.state === 'sent' && !(error instanceof UnansweredError)) {
      throw new UnansweredError(error);
    }
    throw error;
  } finally {
    if (!request.mayBeCharged) request.book('unsent');
  }
}

function book({ charged }: ClientParts, request: CallRequest, made: Attempt) {
  const hasAnswer = made.response.status > 0;
  if (request.mayBeCharged) {
    if (isUnpaid(made, charged)) request.book('unpaid');
    else request.state = hasAnswer ? 'answered' : 'unknown';
  } else if (hasAnswer && !made.isFetchedElsewhere) request.book('free');
}

const firstCeilingMs = 500;
const lastCeilingMs = 30_000;

function backOffMs(attempt: number) {
  const ceilingMs = Math.min(lastCeilingMs, firstCeilingMs * 2 ** (attempt - 1));
  return Math.round(Math.random() * ceilingMs);
}

function concludeAttempt(
  parts: ClientParts,
  { state }: CallRequest,
  hasFailedBefore: boolean,
  { verdict, response: { status, body }, ...times }: Attempt,
  attempts: number,
):
  | CallResult
  | { readonly kind: 'throttled'; readonly durationMs: number }
  | { readonly kind: 'transient'; readonly reason: string; readonly missIfProven?: CallResult } {
  const { throttle, breaker, runStop } = parts;
  const common = { attempts, ...times };
  switch (verdict.kind) {
    case 'hit':
    case 'miss': {
      // Do not check for a stop here, because no answer may be lost.
      if (times.isFetchedElsewhere) breaker.noteFetchedElsewhere(verdict.kind);
      else {
        throttle.noteAnswer();
        breaker.noteAnswer(verdict.kind);
      }
      return { ...verdict, status, body, ...common };
    }
    case 'invalid': {
      const wasStopped = runStop.signal.aborted;
      throttle.noteAnswer();
      breaker.noteAnswer('invalid', verdict.message);
      // If this answer stopped the run, all calls so far were invalid. The job is then the cause,
      // so the row must not count as invalid.
      if (!wasStopped) runStop.signal.throwIfAborted();
      return { ...verdict, status, ...common };
    }
    case 'throttled':
      runStop.signal.throwIfAborted();
      return { ...verdict, durationMs: times.durationMs };
    case 'refused':
      runStop.stop(new DossierError('KEY_REFUSED', keyRefused(parts, verdict.message)));
      throw runStop.signal.reason;
    case 'forbidden':
    case 'quota': {
      const { kind, message } = verdict;
      const isQuota = kind === 'quota';
      const stopMessage = isQuota
        ? `the service refuses further calls: ${message}`
        : keyRefused(parts, message);
      breaker.noteRefusal(isQuota ? 'QUOTA_SPENT' : 'KEY_REFUSED', stopMessage, hasFailedBefore);
      // The failure is stored even if it stops the run, so the next run knows about it.
      return { kind: 'failed', reason: `the service refused this call: ${message}`, ...common };
    }
    case 'oversized':
      throttle.noteAnswer();
      breaker.noteAnswer('oversized');
      return { ...verdict, ...common };
    case 'unreadable':
      throttle.noteAnswer();
      breaker.noteAnswer('unreadable', verdict.reason);
      // Kept even if it stops the run: it is paid for.
      return { ...verdict, status, body, ...common };
    case 'unusable':
    case 'unproven':
    case 'transient': {
      const { kind, reason } = verdict;
      const wasStopped = runStop.signal.aborted;
      breaker.noteFailedAttempt(reason);
      if (wasStopped && state === 'unknown') throw new UnansweredError(runStop.signal.reason);
      const { durationMs } = times;
      const miss = { kind: 'miss', status, body: Buffer.alloc(0), attempts, durationMs } as const;
      const ifProven = kind === 'unproven' && { missIfProven: miss };
      if (kind !== 'unusable' && attempts < parts.attempts) {
        runStop.signal.throwIfAborted();
        return { kind: 'transient', reason, ...ifProven };
      }
      const isUnreached = kind === 'transient' && verdict.isUnreached === true;
      breaker.noteFailedCall(reason, status, isUnreached, hasFailedBefore);
      return { kind: 'failed', reason, ...common, ...ifProven };
    }
  }
}

function keyRefused({ keyPlace }: ClientParts, message: string) {
  return `the service refused the key${keyPlace}: ${message}`;
}
