import type { Attempt, Reservation } from '../../client/make-attempt.ts';
import type { Throttle } from '../../client/rate/throttle.ts';
import type { RunStop } from '../../client/run-stop.ts';
import type { BodyBudget } from '../../client/wire/body-budget.ts';
import { type CallRequest, canonicalCall } from '../../contract/call.ts';
import { UnansweredError } from '../../errors.ts';
import { assertNever } from '../../runtime/assert-never.ts';
import type { SeenCall, SharedAnswer } from '../answers/share-answers.ts';
import { type CallMessage, messageVersion } from '../messages/call-message.ts';
import { callName } from '../messages/call-name.ts';
import type { Share } from '../open-share.ts';
import { patiently, unlessAborted } from '../redis/patiently.ts';
import type { AwaitedJob, AwaitedJobs, JobEnd } from './awaited-jobs.ts';
import { noAnswer, takenAnswer } from './shared-attempt.ts';

export interface AskParts {
  readonly share: Share;
  readonly awaited: AwaitedJobs;
  readonly runStop: RunStop;
  readonly throttle: Pick<Throttle, 'isOn' | 'waitUntilOver'>;
  readonly bodies: BodyBudget;
  /** Answers that were fetched before are too old, by their kind. */
  freshFrom(operation: CallRequest['operation']): CallMessage['freshFrom'];
  /** What a message of this run says besides the call. */
  terms(
    operation: CallRequest['operation'],
  ): Omit<CallMessage, 'version' | 'call' | 'run' | 'askedAt'>;
  /** Whether the worker of this process has a job: it brings the answer though Redis is away. */
  isHeldHere(jobId: string): boolean;
  /** Hears of a job that is waited for. The returned function says that it is over. */
  onAsked(call: CallRequest, job: Pick<AwaitedJob, 'isActive'>): () => void;
}

/** A call that is to be asked, with the request that is reserved for it. */
interface Asking {
  readonly call: CallRequest;
  readonly reservation: Reservation;
  /** What was just seen of it. */
  readonly seen?: SeenCall | undefined;
}

/** A call that is asked under the name of a job. */
interface Asked extends Asking {
  readonly generation: number;
  readonly jobId: string;
  readonly askedAt: number;
  readonly job: AwaitedJob;
}

/** What is known of a call: the answer is one that any run was given, where it is fresh. */
export async function lookAt(
  { share, freshFrom }: AskParts,
  call: CallRequest,
  signal: AbortSignal,
): Promise<SeenCall> {
  const seen = await patiently(() => share.answers.look(callName(call)), share.patience, signal);
  const { answer, generation } = seen;
  const isFresh = answer && answer.fetchedAt >= freshFrom(call.operation)[answer.kind];
  return isFresh ? seen : { answer: undefined, generation };
}

/**
 * Has a call asked once by a worker of any machine. Where another run has it in flight, its answer is
 * awaited: then no request of this run leaves.
 */
export async function askCall(
  parts: AskParts,
  { call, reservation, seen: seenBefore }: Asking,
  signal: AbortSignal,
): Promise<Attempt> {
  const { share, awaited, throttle, bodies } = parts;
  const waiting = parts.runStop.or(signal);
  for (let before = seenBefore; ; before = undefined) {
    waiting.throwIfAborted();
    if (!bodies.hasRoom()) await bodies.untilRoom(waiting);
    if (throttle.isOn()) await throttle.waitUntilOver(waiting);
    const seen = before ?? (await lookAt(parts, call, waiting));
    if (seen.answer) return take(parts, reservation, seen.answer);

    const jobId = `${callName(call)}-${seen.generation}`;
    const askedAt = share.nowMs();
    const job = awaited.open(jobId, askedAt);
    const isOver = parts.onAsked(call, job);
    const asked = { call, reservation, generation: seen.generation, jobId, askedAt, job };
    try {
      const attempt = await conclude(parts, asked, await untilEnd(parts, asked, signal), signal);
      if (attempt) return attempt;
      // The number of the job is used up, unless it is so already.
      const end = () => share.answers.end(callName(call), seen.generation, undefined);
      await patiently(end, share.patience, waiting);
    } finally {
      isOver();
      job.forget();
    }
  }
}

async function addJob(
  { share, terms }: AskParts,
  call: CallRequest,
  { jobId, askedAt }: Pick<Asked, 'jobId' | 'askedAt'>,
): Promise<void> {
  const message: CallMessage = {
    version: messageVersion,
    call: canonicalCall(call),
    run: share.presence.id,
    askedAt,
    ...terms(call.operation),
  };
  await share.queue.add('call', message, { jobId });
}

/** How long a stop waits for Redis to give a job back, and for an answer beyond the time of its attempt. */
const graceMs = 2_000;

/** Adds a job and waits for its end. A stop of the run takes it back, unless a worker has begun with it. */
async function untilEnd(parts: AskParts, asked: Asked, signal: AbortSignal): Promise<JobEnd> {
  const { runStop, terms, share } = parts;
  const { call, job, jobId, reservation } = asked;
  const waiting = runStop.or(signal);
  const giveUp = () => {
    // A worker may still bring the answer, which the next start of the run finds in Redis.
    reservation.isHeld = false;
    return new UnansweredError(waiting.reason);
  };
  try {
    await patiently(() => addJob(parts, call, asked), share.patience, waiting);
    return await unlessAborted(job.end, waiting);
  } catch (error) {
    if (!waiting.aborted) throw error;
    // Also what was being added when the stop came is in Redis by now.
    const end = await takeBack(parts, asked, AbortSignal.timeout(graceMs));
    if (end === 'taken back' || (end === 'unknown' && !job.isActive())) throw error;
    // Without Redis no answer comes from another machine.
    if (end === 'unknown' && !parts.isHeldHere(jobId)) throw giveUp();
  }
  const patience = AbortSignal.timeout(terms(call.operation).timeoutMs + graceMs);
  try {
    return await unlessAborted(job.end, AbortSignal.any([signal, patience]));
  } catch {
    throw giveUp();
  }
}

/**
 * Takes a job back, so that no request of this run leaves for it. A worker that has begun may have sent
 * one; where Redis is away, nobody knows.
 */
async function takeBack(
  { share }: AskParts,
  { call, jobId, generation }: Asked,
  signal: AbortSignal,
): Promise<'taken back' | 'begun' | 'unknown'> {
  if (share.awaySinceMs() !== undefined) return 'unknown';
  try {
    const job = await unlessAborted(share.queue.getJob(jobId), signal);
    if (!job || job.data.run !== share.presence.id) return 'taken back';
    if (job.finishedOn !== undefined) return 'begun';
    await unlessAborted(job.remove(), signal);
    // Between the two a worker may have taken it, and ended it.
    const seen = await unlessAborted(share.answers.look(callName(call)), signal);
    return seen.generation > generation ? 'begun' : 'taken back';
  } catch {
    return signal.aborted ? 'unknown' : 'begun';
  }
}

/** Undefined where the call has to be asked for again. */
async function conclude(
  parts: AskParts,
  { call, reservation }: Asked,
  end: JobEnd,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const { share } = parts;
  if (end.kind === 'gone') return undefined;
  if (end.kind === 'failed') return noAnswer({ kind: 'transient', reason: end.reason });
  const { result } = end;
  const isOwn = 'run' in result && result.run === share.presence.id;
  if (isOwn && result.mayBeCharged) reservation.isHeld = false;
  switch (result.kind) {
    case 'unwanted':
      // The run that had asked is gone; or all runs stop, and this one hears of it now.
      await patiently(() => share.pulse(), share.patience, signal);
      return undefined;
    case 'unanswered':
      return noAnswer(result.verdict, result.status, result.durationMs);
    case 'answered': {
      const look = () => share.answers.look(callName(call));
      const answer = end.answer ?? (await patiently(look, share.patience, signal)).answer;
      return answer && take(parts, reservation, answer, isOwn);
    }
    default:
      return assertNever(result);
  }
}

/** Takes an answer, and its price where a request of this run brought it, though its job may be gone. */
function take(
  { share, bodies }: AskParts,
  reservation: Reservation,
  answer: SharedAnswer,
  isOfOwnJob = false,
): Attempt {
  const isPaidHere = answer.paidBy === share.presence.id;
  if (isPaidHere) reservation.isHeld = false;
  return takenAnswer(bodies, answer, isOfOwnJob || isPaidHere);
}
