import { createHash } from 'node:crypto';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { type CallRequest, canonicalCall } from '../../core/contract/call.ts';
import { DossierError } from '../../core/errors.ts';
import type { Verdict } from '../../engine/client/judge/classify-answer.ts';
import type { SharedAnswer } from './answers.ts';
import type { ShareKeys } from './redis.ts';

/** The queue of a service and key. Its name changes with the meaning of messages and results. */
export const queueName = 'calls-2';

/** A call that a run wants to have made once. It holds no key, and no address of the service. */
export interface CallMessage {
  /** The canonical text of the call. */
  readonly call: string;
  /** The run that pays for it. */
  readonly run: string;
  /** The Redis that was asked. After a restart its run asks again for what it still waits for. */
  readonly server: string;
  /** By the clock of Redis. */
  readonly askedAt: number;
  /** Older answers are too old, by their kind. */
  readonly freshFrom: { readonly hit: number; readonly miss: number };
  readonly timeoutMs: number;
  /** The service has given a hit before, so an empty 404 is a miss. */
  readonly isProven: boolean;
  readonly charged: 'hits' | 'answers';
}

/** The result of a call that was made once. `mayBeCharged` concerns the run that the message names. */
export type CallResult =
  /** The answer is in Redis. */
  | { readonly kind: 'answered'; readonly run: string; readonly mayBeCharged: boolean }
  | {
      readonly kind: 'unanswered';
      readonly run: string;
      readonly mayBeCharged: boolean;
      /** Words of the service are without the key. */
      readonly verdict: Exclude<Verdict, { readonly kind: 'hit' | 'miss' }>;
      readonly status: number;
      readonly durationMs: number;
      /** By the clock of Redis. */
      readonly endedAt: number;
    }
  /** No request has left: its run does not wait for it. */
  | { readonly kind: 'unwanted' };

export type CallEnd =
  /** The answer is there if this process has made the call. */
  | { readonly kind: 'result'; readonly result: CallResult; readonly answer?: SharedAnswer }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The process that made the call was lost. */
  | { readonly kind: 'stalled' }
  /** The job is not there any more. */
  | { readonly kind: 'gone'; readonly isLost: boolean };

/** More than any search needs, in characters. */
const longestCall = 256 * 1_024;
/** A job without a sign for this time is looked at: events may be lost with a connection. */
const silentMs = 3_000;
/** At its end a process waits one second longer than this for a Redis that does not reply. */
const readMs = 1_000;
const stalledText = 'job stalled';

export type SharedCalls = ReturnType<typeof openCalls>;

/** The id of a call's job. It has no colon, which BullMQ keeps for itself. */
export function callName(call: CallRequest): string {
  return createHash('sha256').update(canonicalCall(call)).digest('hex').slice(0, 32);
}

/** The calls of all runs: one job for each, however many runs wait for it. `nowMs` is the clock of Redis. */
export function openCalls(redis: Redis, { prefix }: ShareKeys, nowMs: number) {
  const waiting = new Map<string, ReturnType<typeof openEntry>>();
  const queue = new Queue<CallMessage, CallResult>(queueName, {
    connection: redis,
    prefix,
    defaultJobOptions: {
      attempts: 1,
      // The name of an ended job must be free: answers are stored elsewhere.
      removeOnComplete: true,
      removeOnFail: true,
      sizeLimit: 4 * longestCall,
    },
  });
  const events = new QueueEvents(queueName, {
    connection: redis,
    prefix,
    blockingTimeout: readMs,
    lastEventId: `${Math.floor(nowMs)}-0`,
  });
  // The connection is watched where it is opened; a command that fails throws.
  queue.on('error', () => {});
  events.on('error', () => {});
  const isReady = events.waitUntilReady();
  isReady.catch(() => {});

  const openEntry = (call: CallRequest) => {
    const { promise: end, resolve } = Promise.withResolvers<CallEnd>();
    return {
      call,
      end,
      resolve,
      /** This run has added the job, or another one in the same moment. */
      isAdded: false,
      /** How often a process took the job since it last waited. */
      taken: 0,
      /** Undefined until Redis has the job. */
      heardAtMs: undefined as number | undefined,
      missed: 0,
    };
  };
  const end = (name: string, how: CallEnd) => {
    waiting.get(name)?.resolve(how);
    waiting.delete(name);
  };
  const note = (name: string, update: (entry: ReturnType<typeof openEntry>) => void) => {
    const entry = waiting.get(name);
    if (!entry) return;
    entry.heardAtMs = performance.now();
    entry.missed = 0;
    update(entry);
  };
  const backInQueue = ({ jobId }: { jobId: string }) =>
    note(jobId, (entry) => {
      entry.taken = 0;
    });
  events.on('completed', ({ jobId, returnvalue }) =>
    // The declared type is that of the text; QueueEvents has parsed it.
    end(jobId, { kind: 'result', result: returnvalue as unknown as CallResult }),
  );
  events.on('failed', ({ jobId, failedReason: reason }) =>
    end(jobId, reason.startsWith(stalledText) ? { kind: 'stalled' } : { kind: 'failed', reason }),
  );
  events.on('removed', ({ jobId }) => end(jobId, { kind: 'gone', isLost: false }));
  events.on('added', ({ jobId }) =>
    note(jobId, (entry) => {
      entry.isAdded = true;
    }),
  );
  events.on('active', ({ jobId }) =>
    note(jobId, (entry) => {
      entry.taken += 1;
    }),
  );
  events.on('waiting', backInQueue);
  events.on('delayed', backInQueue);

  const lookAtSilent = async () => {
    const now = performance.now();
    for (const [name, entry] of waiting) {
      if (entry.heardAtMs === undefined || entry.heardAtMs > now - silentMs) continue;
      if (await queue.getJob(name)) {
        entry.heardAtMs = now;
        continue;
      }
      // Its last event may be on the way.
      entry.missed += 1;
      if (entry.missed > 1 && waiting.get(name) === entry)
        end(name, { kind: 'gone', isLost: true });
    }
  };
  const timer = setInterval(() => void lookAtSilent().catch(() => {}), silentMs / 3);
  timer.unref();

  return {
    /** Ends a call whose end is known in this process before Redis reports it. */
    end,
    /** Resolves when events arrive at once. */
    ready: () => isReady,
    /** Calls of this run that a process has taken. */
    active: () => [...waiting.values()].filter(({ taken }) => taken > 0).map(({ call }) => call),
    /** Waits for the end of a call from now on. */
    expect(call: CallRequest) {
      const name = callName(call);
      const entry = openEntry(call);
      waiting.set(name, entry);
      return {
        ...entry,
        name,
        isAdded: () => entry.isAdded,
        taken: () => entry.taken,
        async add(message: Omit<CallMessage, 'call'>) {
          const text = canonicalCall(call);
          if (text.length > longestCall) {
            const most = `machines share calls of ${longestCall} at most`;
            throw new DossierError(
              'JOB_INVALID',
              `a call takes ${text.length} characters; ${most}`,
            );
          }
          await queue.add('call', { ...message, call: text }, { jobId: name });
          entry.heardAtMs = performance.now();
        },
        /** Removes the job of this run, unless a process has taken it. The end says what happened first. */
        async takeBack(run: string) {
          const job = await queue.getJob(name);
          if (job && job.data.run !== run) end(name, { kind: 'gone', isLost: false });
          else await job?.remove();
        },
        forget() {
          if (waiting.get(name) === entry) waiting.delete(name);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await events.close();
      await queue.close();
    },
  };
}
