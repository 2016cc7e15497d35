import type { ClientEvent } from '../../client/client-event.ts';
import { tellRate } from '../../client/rate/tell-rate.ts';
import type { DossierError } from '../../errors.ts';
import { meterWorker } from '../../metrics/meter-worker.ts';
import { systemClock } from '../../runtime/clock.ts';
import { filesLeft } from '../../runtime/files/file-limit.ts';
import { packageVersion } from '../../runtime/package-path.ts';
import { untilSignal } from '../../runtime/shutdown.ts';
import { openShare } from '../../share/open-share.ts';
import { atMost } from '../../share/redis/at-most.ts';
import { asRefusal, placeOf } from '../../share/redis/redis-trouble.ts';
import { readShareFacts } from '../../share/view/share-facts.ts';
import { watchRedis } from '../../share/watch-redis.ts';
import { openWorker } from '../../share/worker/open-worker.ts';
import { logRedis } from '../connect/log-redis.ts';
import { logClientEvent } from '../terminal/client-events.ts';
import { shareFigures } from './share-figures.ts';
import type { SharedService } from './shared-service.ts';
import { startWorkerServer } from './worker-server.ts';
import type { WorkerVoice } from './worker-voice.ts';

export interface WorkerWishes {
  readonly host: string;
  /** Undefined: neither health nor metrics are served. */
  readonly port: number | undefined;
}

/** How long a worker that ends waits for Redis, beyond the time of its requests. */
const closingMs = 2_000;
/** Whoever asks for metrics gets those of the worker, even where Redis does not answer. */
const figuresMs = 1_000;

/** Makes calls of a share until a signal ends it. */
export async function serveCalls(
  shared: SharedService,
  { host, port }: WorkerWishes,
  voice: WorkerVoice,
): Promise<void> {
  const { limits, url: service, key, address, job } = shared;
  const { log } = voice;
  const clock = systemClock;
  const stopped = untilSignal();
  const concurrency = Math.max(1, Math.min(limits.concurrency, filesLeft()));
  const meter = meterWorker(clock, job);
  let attempts = 0;
  const onEvent = (event: ClientEvent) => {
    if (event.type === 'attempt.made') attempts += 1;
    meter.onEvent(event);
    if (!isRateOfRuns(event)) logClientEvent(log, event);
  };
  const { maxWaitMs, rate } = limits;
  const redis = placeOf(address);
  const facts = { kind: 'worker', version: packageVersion(), concurrency } as const;
  const share = await openShare({
    ...{ address, service, key, rate, maxWaitMs, clock },
    facts: { ...facts, ...(job !== undefined && { job }) },
    onAllowed: tellRate(rate, onEvent),
  });
  try {
    const watch = watchRedis(share, logRedis(log, redis));
    const trouble = () => {
      const since = watch.awaySince();
      return since && `${redis} has been away or full since ${since.toISOString()}`;
    };
    share.onPulse(({ closedMs }) => {
      if (closedMs > 0) meter.onThrottled(closedMs);
    });
    let isEnding = false;
    let worker: ReturnType<typeof openWorker> | undefined;
    /** Redis refuses what the worker needs: it would try again for ever. */
    const { promise: refused, resolve: refuse } = Promise.withResolvers<DossierError>();
    const probes = {
      illness: () =>
        isEnding || worker?.isRunning() !== false
          ? undefined
          : 'the worker takes no calls any more',
      unreadiness: () => (isEnding ? 'the worker is stopping' : trouble()),
      async metrics() {
        const read = trouble() === undefined ? readShareFacts(share) : undefined;
        const figures = shareFigures(await within(figuresMs, read));
        return await meter.text(worker?.active() ?? 0, figures);
      },
    };
    // A port that is taken is told before the first call is taken.
    await using server =
      port === undefined ? undefined : await startWorkerServer(probes, { host, port });
    worker = openWorker(share, {
      ...{ baseUrl: service, key, concurrency, timeoutMs: limits.timeoutMs, clock, onEvent },
      onTrouble(error) {
        watch.noteTrouble(error);
        const refusal = asRefusal(address, error);
        if (refusal) refuse(refusal);
      },
    });
    const untilStopped = stopped.then(() => undefined);
    const refusedAtOnce = await Promise.race([worker.ready(), untilStopped, refused]);
    if (!refusedAtOnce) voice.sayStarted({ service, redis, concurrency, rate, url: server?.url });

    const refusal = await Promise.race([untilStopped, refused]);
    isEnding = true;
    const waitMs = trouble() === undefined ? limits.timeoutMs + closingMs : 1;
    voice.sayStopping(worker.active(), waitMs);
    await atMost(worker.close(AbortSignal.timeout(waitMs)), waitMs + closingMs);
    watch[Symbol.dispose]();
    if (refusal) throw refusal;
  } finally {
    await atMost(share[Symbol.asyncDispose](), closingMs);
    share.redis.disconnect();
  }
  voice.sayStopped(attempts);
}

/** A worker without a rate goes by those of the runs, which is nothing to warn of. */
function isRateOfRuns(event: ClientEvent): boolean {
  const isRate = event.type === 'rate.lowered' || event.type === 'rate.raised';
  return isRate && event.ceiling === 'none' && event.reason === 'other job';
}

/** Undefined where the work fails or takes longer. */
async function within<Result>(
  ms: number,
  work: Promise<Result> | undefined,
): Promise<Result | undefined> {
  let result: Result | undefined;
  await atMost(
    work?.then((found) => {
      result = found;
    }),
    ms,
  );
  return result;
}
