import { type Job, type Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import type { SharedAnswer } from '../answers/share-answers.ts';
import { CallResult } from '../messages/call-message.ts';

/** How a job ended: with a result, by failing, or by vanishing, as all do where Redis loses its data. */
export type JobEnd =
  /** The answer is there where a worker of this process has it. */
  | { readonly kind: 'result'; readonly result: CallResult; readonly answer?: SharedAnswer }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'gone' };

export interface AwaitedJob {
  readonly end: Promise<JobEnd>;
  /** A worker has it: its request may have left. */
  isActive(): boolean;
  /** Ends the waiting. */
  forget(): void;
}

/** The jobs that this run waits for, whoever has added them. */
export interface AwaitedJobs extends AsyncDisposable {
  /** Waits for a job from now on, before it is added. */
  open(jobId: string): AwaitedJob;
  /** Ends a job whose end is known in this process before Redis has told of it. */
  end(jobId: string, end: JobEnd): void;
}

interface Waiting {
  isActive: boolean;
  /** When there was a sign of the job. */
  heardAtMs: number;
  readonly waiters: Set<(end: JobEnd) => void>;
}

/** A job that nothing was heard of for so long is looked at: events may be lost with a connection. */
const silentMs = 3_000;

export async function openAwaitedJobs(
  redis: Redis,
  queue: Queue,
  prefix: string,
): Promise<AwaitedJobs> {
  const waiting = new Map<string, Waiting>();
  const events = new QueueEvents(queue.name, { connection: redis, prefix });
  events.on('error', () => {});

  const end = (jobId: string, how: JobEnd) => {
    const entry = waiting.get(jobId);
    waiting.delete(jobId);
    for (const tell of entry?.waiters ?? []) tell(how);
  };
  const look = async (jobId: string) => {
    if (!waiting.has(jobId)) return;
    const job = (await queue.getJob(jobId)) as Job | undefined;
    if (!job) return end(jobId, { kind: 'gone' });
    if (job.finishedOn === undefined) return;
    const isFailed = job.failedReason !== undefined && job.failedReason !== '';
    end(jobId, isFailed ? failed(job.failedReason) : readResult(job.returnvalue));
  };
  events.on('completed', ({ jobId, returnvalue }) => end(jobId, readResult(returnvalue)));
  events.on('failed', ({ jobId, failedReason }) => end(jobId, failed(failedReason)));
  // The job was there before it was added, and may have ended.
  events.on('duplicated', ({ jobId }) => void look(jobId).catch(() => {}));
  events.on('removed', ({ jobId }) => end(jobId, { kind: 'gone' }));
  events.on('active', ({ jobId }) => {
    const entry = waiting.get(jobId);
    if (!entry) return;
    entry.isActive = true;
    entry.heardAtMs = performance.now();
  });
  const noteIdle = ({ jobId }: { jobId: string }) => {
    const entry = waiting.get(jobId);
    if (entry) entry.isActive = false;
  };
  events.on('waiting', noteIdle);
  events.on('delayed', noteIdle);
  const lookAtSilent = async () => {
    const before = performance.now() - silentMs;
    for (const [jobId, entry] of waiting) {
      if (entry.heardAtMs > before) continue;
      entry.heardAtMs = performance.now();
      await look(jobId);
    }
  };
  const timer = setInterval(() => void lookAtSilent().catch(() => {}), silentMs / 3);
  timer.unref();
  await events.waitUntilReady();

  return {
    open(jobId) {
      const entry = waiting.get(jobId) ?? {
        ...{ isActive: false, heardAtMs: performance.now() },
        waiters: new Set(),
      };
      waiting.set(jobId, entry);
      const { promise, resolve } = Promise.withResolvers<JobEnd>();
      entry.waiters.add(resolve);
      return {
        end: promise,
        isActive: () => entry.isActive,
        forget() {
          entry.waiters.delete(resolve);
          if (entry.waiters.size === 0 && waiting.get(jobId) === entry) waiting.delete(jobId);
        },
      };
    },
    end,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await events.close().catch(() => {});
    },
  };
}

function readResult(value: unknown): JobEnd {
  const parsed = CallResult.safeParse(typeof value === 'string' ? parseJson(value) : value);
  if (parsed.success) return { kind: 'result', result: parsed.data };
  return failed('a worker of another version has answered what this one cannot read');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(reason: string): JobEnd {
  return { kind: 'failed', reason };
}
