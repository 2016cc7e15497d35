import type { OnEvent } from '../client/client-event.ts';
import { openBreaker } from '../client/judge/breaker.ts';
import { guardKey } from '../client/judge/guard-key.ts';
import type { Attempt } from '../client/make-attempt.ts';
import type { Client, ClientOptions } from '../client/open-client.ts';
import { limitAttempts } from '../client/rate/limit-attempts.ts';
import { tellRate } from '../client/rate/tell-rate.ts';
import { openThrottle } from '../client/rate/throttle.ts';
import { endlessBudget } from '../client/request-budget.ts';
import { openRunStop } from '../client/run-stop.ts';
import { type CallParts, sendCall } from '../client/send-call.ts';
import { defaultMaxHeldBytes, openBodyBudget } from '../client/wire/body-budget.ts';
import { parseBaseUrl, parseKey } from '../client/wire/build-request.ts';
import type { CallRequest } from '../contract/call.ts';
import type { ReuseTerms } from '../rules/reuse.ts';
import { systemClock } from '../runtime/clock.ts';
import { withTimeout } from '../runtime/retry.ts';
import { openAcknowledgements } from './answers/acknowledgements.ts';
import type { SeenCall } from './answers/share-answers.ts';
import { askCall, lookAt } from './ask/ask-call.ts';
import type { AskParts } from './ask/ask-parts.ts';
import { type AwaitedJob, openAwaitedJobs } from './ask/awaited-jobs.ts';
import { openMessageTerms } from './ask/message-terms.ts';
import { takenOutcome } from './ask/shared-attempt.ts';
import { callName } from './messages/call-name.ts';
import { openShare } from './open-share.ts';
import { atMost } from './redis/at-most.ts';
import { asRefusal } from './redis/redis-trouble.ts';
import type { ShareOptions } from './share-options.ts';
import { announceStop } from './stop/announced-stop.ts';
import { openOwnEvidence } from './stop/own-evidence.ts';
import { type RedisListener, watchRedis } from './watch-redis.ts';
import { watchShare } from './watch-share.ts';
import { openWorker } from './worker/open-worker.ts';

export interface SharedClientOptions extends ClientOptions {
  readonly share: ShareOptions;
  readonly reuse: ReuseTerms;
  /** Hears how Redis is. */
  readonly listener: RedisListener;
}

/** How long a run that ends waits for Redis, which may be away. */
const closingMs = 2_000;
const awayClosingMs = 200;

/**
 * Opens the way to the service that runs on many machines share. Throws a sentence where Redis cannot be
 * reached.
 */
export async function openSharedClient(options: SharedClientOptions): Promise<Client> {
  const { clock = systemClock, onEvent = () => {}, maxWaitMs, budget = endlessBudget } = options;
  const { origin } = parseBaseUrl(options.baseUrl);
  const key = parseKey(options.key);
  const runStop = openRunStop();
  const throttle = openThrottle({ maxWaitMs, clock, onEvent, runStop });
  const share = await openShare({
    address: options.share.address,
    service: options.baseUrl,
    ...{ key, clock, maxWaitMs, rate: options.rate, sharedRate: options.sharedRate },
    onAllowed: tellRate(options.rate, onEvent),
  });
  const awaited = openAwaitedJobs(share);
  const bodies = openBodyBudget(options.maxHeldBytes ?? defaultMaxHeldBytes);
  const breaker = openBreaker(origin, runStop, options.isProven);
  const evidence = openOwnEvidence();
  const inFlight = new Set<{ call: CallRequest; job: Pick<AwaitedJob, 'isActive'> }>();
  const asking: AskParts = {
    ...{ share, awaited, runStop, throttle, bodies, budget },
    ...openMessageTerms(share, breaker, options),
    isHeldHere: (jobId) => worker.holds(jobId),
    onAsked(call, job) {
      const entry = { call, job };
      inFlight.add(entry);
      return () => inFlight.delete(entry);
    },
  };
  /** What was seen of a call before its first attempt. */
  const justSeen = new WeakMap<CallRequest, SeenCall>();
  const parts: CallParts = {
    ...{ budget, runStop, throttle, breaker, bodies, clock, onEvent },
    attempts: options.attempts,
    limit: limitAttempts(options.concurrency, runStop.signal),
    withoutKey: guardKey(key),
    async attempt(call, reservation, signal) {
      const seen = justSeen.get(call);
      justSeen.delete(call);
      const made = await attempt(asking, onEvent, { call, reservation, seen }, signal);
      evidence.note(made);
      return made;
    },
  };
  const acknowledgements = openAcknowledgements({
    answers: share.answers,
    isBeingKept: (call) => worker.holdsCall(call),
  });
  const watchedRedis = watchRedis(share, options.listener);
  // A connection that is refused would be tried again for ever, and so would the taking of calls.
  const stopAtRefusal = (error: Error) => {
    const refusal = asRefusal(options.share.address, error);
    if (!refusal) return;
    worker.stop();
    runStop.stop(refusal);
  };
  share.redis.on('error', stopAtRefusal);
  const worker = openWorker(share, {
    ...{ ...options, clock, onEvent: () => {} },
    deliver: awaited.end,
    onTrouble(error) {
      watchedRedis.noteTrouble(error);
      stopAtRefusal(error);
    },
  });
  // Redis may go away at any moment from here on, and then a stop is heard while it is waited for.
  const ready = Promise.all([awaited.ready(), worker.ready()]);
  ready.catch(() => {});
  const watch = watchShare(share, { ...options, clock, runStop, throttle, evidence });
  runStop.signal.addEventListener('abort', () => {
    // Nothing leaves without Redis, so nothing is waited for that has not left.
    if (share.awaySinceMs() !== undefined) worker.stop();
    announceStop(share.redis, share.keys, runStop.signal.reason).catch(() => {});
    // Workers that have not sent its calls yet see that nobody wants them.
    share.presence.leave().catch(() => {});
  });

  return {
    async send(call, signal, hasFailedBefore = false) {
      const waiting = runStop.or(signal);
      const look = async () => {
        await withTimeout(ready, waiting);
        return await lookAt(asking, call, waiting);
      };
      const seen = await look().catch((error: unknown) => {
        budget.refund(call);
        throw error;
      });
      justSeen.set(call, seen);
      const { answer } = seen;
      // An answer that is there already takes no request.
      if (answer) budget.refund(call);
      const outcome = answer
        ? takenOutcome(bodies, answer)
        : await sendCall(parts, call, hasFailedBefore, signal);
      if ('body' in outcome) acknowledgements.expect(outcome, callName(call));
      return outcome;
    },
    judge() {
      breaker.judgeEnd();
      runStop.signal.throwIfAborted();
    },
    release(outcome) {
      bodies.free('body' in outcome ? outcome.body.length : 0);
      acknowledgements.add(outcome);
    },
    stop: runStop.stop,
    onWire() {
      const active = [...inFlight].filter(({ job }) => job.isActive());
      return { calls: active.map(({ call }) => call), atMostMs: options.timeoutMs };
    },
    async [Symbol.asyncDispose]() {
      runStop.stop(new Error('The client is closed.'));
      watch[Symbol.dispose]();
      watchedRedis[Symbol.dispose]();
      const isThere = share.awaySinceMs() === undefined;
      // What has left for other runs is waited for; it is paid for. Redis is not, where it is away.
      const answersMs = isThere ? options.timeoutMs + closingMs : 1;
      const patienceMs = isThere ? closingMs : awayClosingMs;
      await atMost(worker.close(AbortSignal.timeout(answersMs)), answersMs + patienceMs);
      await atMost(acknowledgements.flush(), patienceMs);
      await atMost(awaited[Symbol.asyncDispose](), patienceMs);
      await atMost(share[Symbol.asyncDispose](), patienceMs);
      share.redis.disconnect();
    },
  };
}

/** Has the call asked once, and tells of an attempt that was made for this run. */
async function attempt(
  asking: AskParts,
  onEvent: OnEvent,
  asked: Parameters<typeof askCall>[1],
  signal: AbortSignal,
): Promise<Attempt> {
  const made = await askCall(asking, asked, signal);
  const { verdict, answer, durationMs, isReused } = made;
  if (isReused) return made;
  const status = answer.status === 0 ? {} : { status: answer.status };
  const { operation } = asked.call;
  onEvent({ type: 'attempt.made', operation, ...status, verdict: verdict.kind, durationMs });
  return made;
}
