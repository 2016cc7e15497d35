import type { Attempt, Reservation } from '../../client/make-attempt.ts';
import type { Throttle } from '../../client/rate/throttle.ts';
import type { RunStop } from '../../client/run-stop.ts';
import type { BodyBudget } from '../../client/wire/body-budget.ts';
import { type CallRequest, canonicalCall } from '../../contract/call.ts';
import { assertNever } from '../../runtime/assert-never.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { SharedAnswer } from '../answers/share-answers.ts';
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
  readonly clock: Clock;
  /** Answers that were fetched before are too old, by their kind. */
  freshFrom(operation: CallRequest['operation']): CallMessage['freshFrom'];
  /** What a message of this run says besides the call. */
  terms(
    operation: CallRequest['operation'],
  ): Omit<CallMessage, 'version' | 'call' | 'run' | 'askedAt'>;
  /** Hears of a job that is waited for. The returned function says that it is over. */
  onAsked(call: CallRequest, job: Pick<AwaitedJob, 'isActive'>): () => void;
}

/** A call that is asked under the name of a job. */
interface Asked {
  readonly call: CallRequest;
  readonly jobId: string;
  readonly job: AwaitedJob;
  readonly reservation: Reservation;
}

/** The answer that any run was given to a call before, where it is fresh. */
export async function findAnswer(
  parts: AskParts,
  call: CallRequest,
  signal: AbortSignal,
): Promise<SharedAnswer | undefined> {
  const look = () => parts.share.answers.look(callName(call));
  const { answer } = await patiently(look, parts.clock, signal);
  return answer && isFresh(parts, call, answer) ? answer : undefined;
}

/**
 * Has a call asked once by a worker of any machine. Where another run has it in flight, its answer is
 * awaited: then no request of this run leaves.
 */
export async function askCall(
  parts: AskParts,
  call: CallRequest,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<Attempt> {
  const { share, awaited, throttle, bodies, clock } = parts;
  const waiting = parts.runStop.or(signal);
  const name = callName(call);
  for (;;) {
    waiting.throwIfAborted();
    if (!bodies.hasRoom()) await bodies.untilRoom(waiting);
    if (throttle.isOn()) await throttle.waitUntilOver(waiting);
    const seen = await patiently(() => share.answers.look(name), clock, waiting);
    if (seen.answer && isFresh(parts, call, seen.answer)) return takenAnswer(bodies, seen.answer);

    const jobId = `${name}-${seen.generation}`;
    const job = awaited.open(jobId);
    const isOver = parts.onAsked(call, job);
    try {
      await patiently(() => addJob(parts, call, jobId), clock, waiting);
      const end = await untilEnd(parts, { call, jobId, job, reservation }, signal);
      const attempt = await conclude(parts, { call, jobId, job, reservation }, end, signal);
      if (attempt) return attempt;
    } finally {
      isOver();
      job.forget();
    }
  }
}

async function addJob({ share, terms }: AskParts, call: CallRequest, jobId: string): Promise<void> {
  const message: CallMessage = {
    version: messageVersion,
    call: canonicalCall(call),
    run: share.presence.id,
    askedAt: share.nowMs(),
    ...terms(call.operation),
  };
  await share.queue.add('call', message, { jobId });
}

/** Waits for the end of a job. A stop of the run takes it back, unless a worker has begun with it. */
async function untilEnd(
  parts: AskParts,
  { jobId, job, reservation }: Asked,
  signal: AbortSignal,
): Promise<JobEnd> {
  const waiting = parts.runStop.or(signal);
  try {
    return await unlessAborted(job.end, waiting);
  } catch (error) {
    if (await takeBack(parts, jobId)) throw error;
  }
  try {
    return await unlessAborted(job.end, signal);
  } catch (error) {
    // A worker may still bring the answer, which the next start of the run finds in Redis.
    reservation.isHeld = false;
    throw error;
  }
}

/** True where no request of this run leaves for the job. */
async function takeBack({ share }: AskParts, jobId: string): Promise<boolean> {
  try {
    const job = await share.queue.getJob(jobId);
    if (!job || job.data.run !== share.presence.id) return true;
    await job.remove();
    return true;
  } catch {
    // A worker holds it, or Redis is away.
    return false;
  }
}

/** Undefined where the call has to be asked for again. */
async function conclude(
  { share, bodies, clock }: AskParts,
  { call, reservation }: Asked,
  end: JobEnd,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  if (end.kind === 'gone') return undefined;
  if (end.kind === 'failed') return noAnswer({ kind: 'transient', reason: end.reason });
  const { result } = end;
  const isOwn = 'run' in result && result.run === share.presence.id;
  if (isOwn && result.mayBeCharged) reservation.isHeld = false;
  switch (result.kind) {
    case 'unwanted':
      // The run that had asked is gone; or all runs stop, and this one hears of it now.
      await patiently(() => share.pulse(), clock, signal);
      return undefined;
    case 'unanswered':
      return noAnswer(result.verdict, result.status, result.durationMs);
    case 'answered': {
      const look = () => share.answers.look(callName(call));
      const answer = end.answer ?? (await patiently(look, clock, signal)).answer;
      return answer && takenAnswer(bodies, answer, isOwn);
    }
    default:
      return assertNever(result);
  }
}

function isFresh(parts: AskParts, { operation }: CallRequest, answer: SharedAnswer): boolean {
  return answer.fetchedAt >= parts.freshFrom(operation)[answer.kind];
}
