import { hostname } from 'node:os';
import { Worker } from 'bullmq';
import type { OnEvent } from '../../client/client-event.ts';
import { guardKey } from '../../client/judge/guard-key.ts';
import { longestClosedMs } from '../../client/rate/rate-state.ts';
import { openThrottle, type Throttle } from '../../client/rate/throttle.ts';
import { openRequestsOnWire } from '../../client/requests-on-wire.ts';
import { openRunStop } from '../../client/run-stop.ts';
import { defaultMaxBodyBytes, openBodyBudget } from '../../client/wire/body-budget.ts';
import { createRequestBuilder, parseBaseUrl, parseKey } from '../../client/wire/build-request.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRedactor } from '../../runtime/log/redact.ts';
import { openSockets } from '../../runtime/net/open-sockets.ts';
import type { JobEnd } from '../ask/awaited-jobs.ts';
import { queueName, type Share } from '../open-share.ts';
import { lockMs, stalledMs } from '../presence/silence.ts';
import { answerJob, giveBackUntilLater } from './answer-job.ts';

export interface WorkerOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly concurrency: number;
  /** For connecting; each call brings the time of its own attempt. */
  readonly timeoutMs: number;
  readonly maxBodyBytes?: number;
  readonly onEvent?: OnEvent;
  /** Hears how a job ends, before Redis does. */
  readonly deliver?: (jobId: string, end: JobEnd) => void;
  /** Hears of trouble that BullMQ meets, and of answers that keep calls waiting. */
  readonly onTrouble?: (error: Error) => void;
  readonly clock: Clock;
}

/** Makes the calls of all runs that share a service and key. It holds no state of its own. */
export interface ShareWorker extends AsyncDisposable {
  /** Whether it is making the call of this job. */
  holds(jobId: string): boolean;
  /** Whether it is making a call of this name, or has yet to put its answer into Redis. */
  holdsCall(call: string): boolean;
  /** Lets nothing leave any more; what has left may still be answered. */
  stop(): void;
  /** Resolves when it takes calls. */
  ready(): Promise<void>;
  /**
   * Gives back what has not left, and waits for the answers of what has. Aborting the signal gives these up,
   * too.
   */
  close(giveUp?: AbortSignal): Promise<void>;
}

/** BullMQ reads the clock twice, and on a busy machine Node would warn of a wait that is over by then. */
class PacedWorker extends Worker {
  protected override getRateLimitDelay(delayMs: number): number {
    return Math.max(1, super.getRateLimitDelay(delayMs));
  }

  /** Renews no lock any more, which would keep the process for as long as its jobs do not end. */
  async letGo(): Promise<void> {
    await this.lockManager.close();
  }
}

export function openWorker(share: Share, options: WorkerOptions): ShareWorker {
  const { clock, onEvent = () => {}, maxBodyBytes = defaultMaxBodyBytes } = options;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const key = parseKey(options.key);
  const runStop = openRunStop();
  const wire = new AbortController();
  const sockets = openSockets(baseUrl, options);
  const anyThrottle = openThrottle({
    // How long it may last, each run decides.
    ...{ maxWaitMs: Number.POSITIVE_INFINITY, clock, runStop },
    onEvent(event) {
      onEvent(event);
      if (event.type !== 'service.throttled') return;
      // Jobs are not taken in vain.
      share.queue.rateLimit(Math.ceil(event.waitMs)).catch(() => {});
    },
  });
  // Its own waits, the gate and the queue end together: what one of them kept would wait for no reason told.
  const throttle: Throttle = {
    ...anyThrottle,
    noteThrottled: (waitsBefore, retryAfterMs) =>
      anyThrottle.noteThrottled(
        waitsBefore,
        retryAfterMs && Math.min(retryAfterMs, longestClosedMs),
      ),
    noteClosed: (waitMs) => anyThrottle.noteClosed(Math.min(waitMs, longestClosedMs)),
  };
  const { permits } = share;
  share.onClosed(throttle.noteClosed);
  const active = new Set<string>();
  const parts = {
    ...{ share, sockets, clock, runStop, throttle, permits, maxBodyBytes, onEvent },
    bodies: openBodyBudget(3 * maxBodyBytes),
    onWire: openRequestsOnWire(options.timeoutMs, clock),
    redact: createRedactor([key]),
    withoutKey: guardKey(key),
    buildRequest: createRequestBuilder(baseUrl, key),
    // The run that pays has reserved one request.
    budget: {},
    deliver: options.deliver ?? (() => {}),
    onTrouble: options.onTrouble ?? (() => {}),
    signal: wire.signal,
  };
  const worker = new PacedWorker(
    queueName,
    async (job, token = '') => {
      const jobId = job.id ?? '';
      // It could not renew the lock, but its request is under way, or the answer waits for room in Redis.
      if (active.has(jobId)) return await giveBackUntilLater(job, token);
      active.add(jobId);
      try {
        return await answerJob(parts, job, token);
      } finally {
        active.delete(jobId);
      }
    },
    {
      connection: share.redis,
      prefix: share.keys.prefix,
      name: `${hostname()}:${process.pid}`,
      concurrency: options.concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      // The ledger of the run decides about attempts.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1_000,
      drainDelay: 1,
    },
  );
  worker.on('error', parts.onTrouble);

  const stop = () => runStop.stop(new Error('The worker is closed.'));
  const close = async (giveUp?: AbortSignal) => {
    stop();
    const abort = () => {
      wire.abort(runStop.signal.reason);
      void worker.letGo();
    };
    if (giveUp?.aborted) abort();
    giveUp?.addEventListener('abort', abort, { once: true });
    // A Redis that is away does not hear of jobs that end, nor of connections.
    await worker.close(share.awaySinceMs() !== undefined);
    await sockets.dispatcher.destroy();
  };
  const isReady = worker.waitUntilReady().then(() => {});
  isReady.catch(() => {});
  return {
    holds: (jobId) => active.has(jobId),
    holdsCall: (call) => active.values().some((jobId) => jobId.startsWith(`${call}-`)),
    stop,
    ready: () => isReady,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}
