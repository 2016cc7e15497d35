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
import { isUnwilling } from '../redis/redis-trouble.ts';
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
  readonly jobId: string;
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
    if (seen.answer) return takenAnswer(bodies, seen.answer);

    const jobId = `${callName(call)}-${seen.generation}`;
    const askedAt = share.nowMs();
    const job = awaited.open(jobId, askedAt);
    const isOver = parts.onAsked(call, job);
    const asked = { call, reservation, jobId, job };
    try {
      await patiently(() => addJob(parts, call, { jobId, askedAt }), share.patience, waiting);
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
  { jobId, askedAt }: { readonly jobId: string; readonly askedAt: number },
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

/** Waits for the end of a job. A stop of the run takes it back, unless a worker has begun with it. */
async function untilEnd(parts: AskParts, asked: Asked, signal: AbortSignal): Promise<JobEnd> {
  const { runStop, terms } = parts;
  const { job, call, reservation } = asked;
  try {
    return await unlessAborted(job.end, runStop.or(signal));
  } catch (error) {
    if (await takeBack(parts, asked, AbortSignal.timeout(graceMs))) throw error;
  }
  const patience = AbortSignal.timeout(terms(call.operation).timeoutMs + graceMs);
  try {
    return await unlessAborted(job.end, AbortSignal.any([signal, patience]));
  } catch {
    // A worker may still bring the answer, which the next start of the run finds in Redis.
    reservation.isHeld = false;
    throw new UnansweredError(runStop.or(signal).reason);
  }
}

/** True where no request of this run leaves for the job, and none has left. */
async function takeBack(
  { share }: AskParts,
  { jobId, job }: Asked,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const found = await unlessAborted(share.queue.getJob(jobId), signal);
    if (found?.data.run !== share.presence.id) return true;
    // It has ended, which is about to be heard.
    if (found.finishedOn !== undefined) return false;
    await unlessAborted(found.remove(), signal);
    return true;
  } catch (error) {
    // A worker holds it. Where Redis does not say so, what was heard of the job last counts.
    return (signal.aborted || isUnwilling(error)) && !job.isActive();
  }
}

/** Undefined where the call has to be asked for again. */
async function conclude(
  parts: AskParts,
  asked: Asked,
  end: JobEnd,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const { share, bodies, runStop } = parts;
  if (end.kind === 'gone') return undefined;
  if (end.kind === 'failed') return noAnswer({ kind: 'transient', reason: end.reason });
  const { result } = end;
  const isOwn = 'run' in result && result.run === share.presence.id;
  if (isOwn && result.mayBeCharged) asked.reservation.isHeld = false;
  switch (result.kind) {
    case 'unwanted':
      // The run that had asked is gone; or all runs stop, and this one hears of it now.
      await patiently(() => share.pulse(), share.patience, runStop.or(signal));
      return undefined;
    case 'unanswered':
      return noAnswer(result.verdict, result.status, result.durationMs);
    case 'answered': {
      const answer = end.answer ?? (await fetchAnswer(parts, asked, signal));
      return answer && takenAnswer(bodies, answer, isOwn);
    }
    default:
      return assertNever(result);
  }
}

/** Fetches an answer that is paid for. A stop of the run waits for it, though not for a Redis that is away. */
async function fetchAnswer(
  { share, runStop }: AskParts,
  { call, reservation }: Asked,
  signal: AbortSignal,
): Promise<SharedAnswer | undefined> {
  const stopping = runStop.or(signal);
  const look = async (until: AbortSignal) =>
    (await patiently(() => share.answers.look(callName(call)), share.patience, until)).answer;
  try {
    return await look(stopping);
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
  try {
    return await look(AbortSignal.any([signal, AbortSignal.timeout(graceMs)]));
  } catch {
    throw reservation.isHeld ? stopping.reason : new UnansweredError(stopping.reason);
  }
}
