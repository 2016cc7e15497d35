import { QueueEvents } from 'bullmq';
import type { SharedAnswer } from '../answers/share-answers.ts';
import { CallResult } from '../messages/call-message.ts';
import { readJson } from '../messages/read-json.ts';
import type { Share } from '../open-share.ts';

/** How a job ended: with a result, by failing, or by vanishing, as all do where Redis loses its data. */
export type JobEnd =
  /** The answer is there where a worker of this process has it. */
  | { readonly kind: 'result'; readonly result: CallResult; readonly answer?: SharedAnswer }
  | { readonly kind: 'failed'; readonly reason: string }
  /** A job that Redis has lost may have been begun; one that was given back, or is of another run, costs nothing. */
  | { readonly kind: 'gone'; readonly isLost: boolean };

export interface AwaitedJob {
  readonly end: Promise<JobEnd>;
  /** A worker has it: its request may have left. */
  isActive(): boolean;
  /** It was added while it was waited for, so by this run; or by another one in the same moment. */
  isAdded(): boolean;
  /** Redis has the job: that it is not there any more has a meaning from now on. */
  noteAsked(): void;
  /** Ends the waiting. */
  forget(): void;
}

/** The jobs that a run waits for, whoever has added them. */
export interface AwaitedJobs extends AsyncDisposable {
  /** Resolves when it hears of jobs at once, and not only when it looks at them. */
  ready(): Promise<void>;
  /** Waits for a job from now on, before the run adds it with this time. */
  open(jobId: string, askedAt: number): AwaitedJob;
  /** Ends a job whose end is known in this process before Redis has told of it. */
  end(jobId: string, end: JobEnd): void;
}

interface Waiting {
  readonly askedAt: number;
  readonly tell: (end: JobEnd) => void;
  isActive: boolean;
  isAdded: boolean;
  /** When there was a sign of the job; undefined until Redis has it, which may take a while where it is full. */
  heardAtMs: number | undefined;
}

/** A job that nothing was heard of for so long is looked at: events may be lost with a connection. */
const silentMs = 3_000;

/** BullMQ waits for a read that Redis does not answer, a second longer than this, before a process can end. */
const readMs = 1_000;

export function openAwaitedJobs({
  redis,
  queue,
  keys,
  presence,
}: Pick<Share, 'redis' | 'queue' | 'keys' | 'presence'>): AwaitedJobs {
  const waiting = new Map<string, Waiting>();
  const events = new QueueEvents(queue.name, {
    ...{ connection: redis, prefix: keys.prefix, blockingTimeout: readMs },
  });
  // The run hears from its own connection that Redis is away.
  events.on('error', () => {});

  const end = (jobId: string, how: JobEnd) => {
    waiting.get(jobId)?.tell(how);
    waiting.delete(jobId);
  };
  /** A job of another run, or of an earlier time, that has ended says nothing: its call is looked at anew. */
  const look = async (jobId: string) => {
    const entry = waiting.get(jobId);
    const job = entry && (await queue.getJob(jobId));
    if (!entry || (job && job.finishedOn === undefined)) return;
    const isOwn = job?.data.run === presence.id && job?.data.askedAt === entry.askedAt;
    if (!job || !isOwn) end(jobId, { kind: 'gone', isLost: !job });
    else if (job.failedReason) end(jobId, failed(job.failedReason));
    else end(jobId, readResult(job.returnvalue));
  };
  const note = (jobId: string, isActive: boolean) => {
    const entry = waiting.get(jobId);
    if (!entry) return;
    entry.isActive = isActive;
    entry.heardAtMs = performance.now();
  };
  events.on('completed', ({ jobId, returnvalue }) => end(jobId, readResult(returnvalue)));
  events.on('failed', ({ jobId, failedReason }) => end(jobId, failed(failedReason)));
  events.on('removed', ({ jobId }) => end(jobId, { kind: 'gone', isLost: false }));
  events.on('added', ({ jobId }) => {
    const entry = waiting.get(jobId);
    if (entry) entry.isAdded = true;
  });
  // It was there before it was added, and may have ended.
  events.on('duplicated', ({ jobId }) => void look(jobId).catch(() => {}));
  events.on('active', ({ jobId }) => note(jobId, true));
  events.on('waiting', ({ jobId }) => note(jobId, false));
  events.on('delayed', ({ jobId }) => note(jobId, false));

  const lookAtSilent = async () => {
    const now = performance.now();
    for (const [jobId, entry] of waiting) {
      if (entry.heardAtMs === undefined || entry.heardAtMs > now - silentMs) continue;
      entry.heardAtMs = now;
      await look(jobId);
    }
  };
  const timer = setInterval(() => void lookAtSilent().catch(() => {}), silentMs / 3);
  timer.unref();
  const isReady = events.waitUntilReady().then(() => {});
  isReady.catch(() => {});

  return {
    ready: () => isReady,
    open(jobId, askedAt) {
      const { promise, resolve } = Promise.withResolvers<JobEnd>();
      const entry: Waiting = {
        ...{ askedAt, tell: resolve, isActive: false, isAdded: false },
        heardAtMs: undefined,
      };
      waiting.set(jobId, entry);
      return {
        end: promise,
        isActive: () => entry.isActive,
        isAdded: () => entry.isAdded,
        noteAsked() {
          entry.heardAtMs = performance.now();
        },
        forget() {
          if (waiting.get(jobId) === entry) waiting.delete(jobId);
        },
      };
    },
    end,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await events.close();
    },
  };
}

function readResult(value: unknown): JobEnd {
  const parsed = CallResult.safeParse(typeof value === 'string' ? readJson(value) : value);
  if (parsed.success) return { kind: 'result', result: parsed.data };
  return failed('a worker of another version has answered what this one cannot read');
}

function failed(reason: string): JobEnd {
  return { kind: 'failed', reason };
}
