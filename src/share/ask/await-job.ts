import { type CallRequest, canonicalCall } from '../../contract/call.ts';
import { DossierError, UnansweredError } from '../../errors.ts';
import { withTimeout } from '../../runtime/retry.ts';
import type { SharedAnswer } from '../answers/share-answers.ts';
import { type CallMessage, longestCall, messageVersion } from '../messages/call-message.ts';
import { callName } from '../messages/call-name.ts';
import type { Share } from '../open-share.ts';
import { patiently } from '../redis/patiently.ts';
import { isUnwilling } from '../redis/redis-trouble.ts';
import type { Asked, AskParts } from './ask-parts.ts';
import type { JobEnd } from './awaited-jobs.ts';

async function addJob(
  { share, terms }: AskParts,
  call: CallRequest,
  { jobId, askedAt }: Pick<Asked, 'jobId' | 'askedAt'>,
): Promise<void> {
  const text = canonicalCall(call);
  // No worker would read it, and the run would wait for ever.
  if (text.length > longestCall) {
    const most = `machines share calls of ${longestCall} at most`;
    throw new DossierError('JOB_INVALID', `a call takes ${text.length} characters; ${most}`);
  }
  const message: CallMessage = {
    version: messageVersion,
    call: text,
    run: share.presence.id,
    askedAt,
    ...terms(call.operation),
  };
  await share.queue.add('call', message, { jobId });
}

/** How long a stop waits for Redis to give a job back, and for an answer beyond the time of its attempt. */
const graceMs = 2_000;

/** Adds a job and waits for its end. A stop of the run takes it back, unless a worker has begun with it. */
export async function untilEnd(
  parts: AskParts,
  asked: Asked,
  signal: AbortSignal,
): Promise<JobEnd> {
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
    job.noteAsked();
    return await withTimeout(job.end, waiting);
  } catch (error) {
    if (!waiting.aborted) throw error;
    // Also what was being added when the stop came is in Redis by now.
    const end = await takeBack(parts, asked, AbortSignal.timeout(graceMs));
    const mayLeave = job.isActive() || isStillAwaited(share);
    if (end === 'taken back' || (end === 'unknown' && !mayLeave)) throw error;
    // Without Redis no answer comes from another machine.
    if (end === 'unknown' && !parts.isHeldHere(jobId)) throw giveUp();
  }
  const patience = AbortSignal.timeout(terms(call.operation).timeoutMs + graceMs);
  try {
    return await withTimeout(job.end, AbortSignal.any([signal, patience]));
  } catch {
    throw giveUp();
  }
}

/**
 * Whether workers elsewhere may begin with jobs of a run that stops: it cannot tell them so, and they wait a
 * while before they count it as gone.
 */
function isStillAwaited({ redis, isMissed }: Pick<Share, 'redis' | 'isMissed'>): boolean {
  return redis.status !== 'ready' && !isMissed();
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
    const job = await withTimeout(share.queue.getJob(jobId), signal);
    if (!job || job.data.run !== share.presence.id) return 'taken back';
    if (job.finishedOn !== undefined) return 'begun';
    await withTimeout(job.remove(), signal);
    // Between the two a worker may have taken it, and ended it.
    const seen = await withTimeout(share.answers.look(callName(call)), signal);
    return seen.generation > generation ? 'begun' : 'taken back';
  } catch (error) {
    return signal.aborted || isUnwilling(error) ? 'unknown' : 'begun';
  }
}

/** Fetches an answer that is paid for. A stop of the run waits for it, though not for a Redis that is away. */
export async function fetchAnswer(
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
