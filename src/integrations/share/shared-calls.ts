import { hash } from 'node:crypto';
import { Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Call, callText } from '../../core/contract/call.ts';
import { DossierError } from '../../core/errors.ts';
import type { Verdict } from '../../engine/providers/provider.ts';
import type { ShareKeys } from './redis.ts';
import type { SharedAnswer } from './shared-answers.ts';

/** Change it when messages change, so different versions use different queues. */
export const queueName = 'calls-4';

/** Without the key and address of the service, which may be secret. */
export interface CallMessage {
  readonly call: string;
  readonly run: string;
  /** Changes when Redis restarts; the run then requests the call again. */
  readonly redisRunId: string;
  readonly askedAt: number;
  readonly freshFrom: { readonly hit: number; readonly miss: number };
  readonly timeoutMs: number;
  /** `hasEverFound` of the breaker. The name is part of the messages, so it stays. */
  readonly isProven: boolean;
}

/** Requests that may be charged count in the budget of `run`. */
export type CallJobResult =
  | { readonly kind: 'answered'; readonly run: string; readonly mayBeCharged: boolean }
  | {
      readonly kind: 'unanswered';
      readonly run: string;
      readonly mayBeCharged: boolean;
      /** With the key redacted. */
      readonly verdict: Exclude<Verdict, { readonly kind: SharedAnswer['kind'] }>;
      readonly status: number;
      readonly durationMs: number;
      readonly endedAt: number;
    }
  | { readonly kind: 'unwanted' };

export type CallEnd =
  | { readonly kind: 'result'; readonly result: CallJobResult; readonly answer?: SharedAnswer }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stalled' }
  | { readonly kind: 'gone'; readonly isLost: boolean };

const longestCall = 256 * 1_024;
/** A lost connection loses events, so after 3 s without an event, look for the BullMQ job. */
const silentMs = 3_000;
/** If Redis does not reply, BullMQ delays the exit of the process by this time plus 1 s. */
const readMs = 1_000;
const stalledText = 'job stalled';

export interface SharedCalls {
  readonly ready: Promise<unknown>;
  expect(call: Call): ExpectedCall;
  end(name: string, how: CallEnd): void;
  /** Calls that a process has taken. */
  active(): Call[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** A call that this run waits for. */
export interface ExpectedCall extends Disposable {
  readonly call: Call;
  readonly name: string;
  readonly end: Promise<CallEnd>;
  readonly resolve: (end: CallEnd) => void;
  /** True if the BullMQ job is new, so this run probably added it and pays for it. */
  isAdded: boolean;
  taken: number;
  heardAtMs: number | undefined;
  missed: number;
  add(message: Omit<CallMessage, 'call'>): Promise<void>;
  /** Throws if a process has already taken the job; then wait for `end`. */
  takeBack(run: string): Promise<void>;
}

/** A hash, because BullMQ job ids must not contain colons. */
export function callName(call: Call): string {
  return hash('sha256', callText(call)).slice(0, 32);
}

export function openCalls(redis: Redis, { prefix }: ShareKeys, redisNowMs: number): SharedCalls {
  const waiting = new Map<string, ExpectedCall>();
  const queue = new Queue<CallMessage, CallJobResult>(queueName, {
    connection: redis,
    prefix,
    defaultJobOptions: {
      attempts: 1,
      // Frees the ids of ended jobs, so the same call can be added again.
      removeOnComplete: true,
      removeOnFail: true,
      sizeLimit: 4 * longestCall,
    },
  });
  const events = new QueueEvents(queueName, {
    connection: redis,
    prefix,
    blockingTimeout: readMs,
    lastEventId: `${Math.floor(redisNowMs)}-0`,
  });
  // The connection handles its own errors, and failed commands throw.
  queue.on('error', () => {});
  events.on('error', () => {});

  const expect = (call: Call) => {
    const name = callName(call);
    const { promise, resolve } = Promise.withResolvers<CallEnd>();
    const expected: ExpectedCall = {
      call,
      name,
      end: promise,
      resolve,
      isAdded: false,
      taken: 0,
      heardAtMs: undefined,
      missed: 0,
      async add(message) {
        const text = callText(call);
        if (text.length > longestCall) {
          throw new DossierError(
            'JOB_INVALID',
            `a people search of ${text.length} characters is too long to share: shorten people.position`,
          );
        }
        await queue.add('call', { ...message, call: text }, { jobId: name });
        expected.heardAtMs = performance.now();
      },
      async takeBack(run) {
        const job = await queue.getJob(name);
        if (job && job.data.run !== run) end(name, { kind: 'gone', isLost: false });
        else await job?.remove();
      },
      [Symbol.dispose]() {
        if (waiting.get(name) === expected) waiting.delete(name);
      },
    };
    waiting.set(name, expected);
    return expected;
  };
  const end = (name: string, how: CallEnd) => {
    waiting.get(name)?.resolve(how);
    waiting.delete(name);
  };
  followEvents(events, waiting, end);

  const lookAtSilent = async () => {
    const now = performance.now();
    for (const [name, entry] of waiting) {
      if (entry.heardAtMs === undefined || entry.heardAtMs > now - silentMs) continue;
      if (await queue.getJob(name)) {
        entry.heardAtMs = now;
        continue;
      }
      // The job has ended, but its last event may still arrive, so look twice.
      entry.missed += 1;
      if (entry.missed > 1 && waiting.get(name) === entry)
        end(name, { kind: 'gone', isLost: true });
    }
  };
  const timer = setInterval(() => void lookAtSilent().catch(() => {}), silentMs / 3);
  timer.unref();

  return {
    end,
    expect,
    ready: events.waitUntilReady(),
    active: () => [...waiting.values()].filter(({ taken }) => taken > 0).map(({ call }) => call),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await events.close();
      await queue.close();
    },
  };
}

function followEvents(
  events: QueueEvents,
  waiting: ReadonlyMap<string, ExpectedCall>,
  end: SharedCalls['end'],
) {
  const note = (name: string, change: (call: ExpectedCall) => Partial<ExpectedCall>) => {
    const call = waiting.get(name);
    if (call) Object.assign(call, change(call), { heardAtMs: performance.now(), missed: 0 });
  };
  events.on('added', ({ jobId }) => note(jobId, () => ({ isAdded: true })));
  events.on('active', ({ jobId }) => note(jobId, ({ taken }) => ({ taken: taken + 1 })));
  events.on('waiting', ({ jobId }) => note(jobId, () => ({ taken: 0 })));
  events.on('delayed', ({ jobId }) => note(jobId, () => ({ taken: 0 })));
  events.on('completed', ({ jobId, returnvalue }) =>
    // Already parsed by QueueEvents.
    end(jobId, { kind: 'result', result: returnvalue as unknown as CallJobResult }),
  );
  events.on('failed', ({ jobId, failedReason: reason }) =>
    end(jobId, reason.startsWith(stalledText) ? { kind: 'stalled' } : { kind: 'failed', reason }),
  );
  events.on('removed', ({ jobId }) => end(jobId, { kind: 'gone', isLost: false }));
}
