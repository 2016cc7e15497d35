import type { Attempt, Reservation } from '../../client/make-attempt.ts';
import { reserveAgain } from '../../client/send-call.ts';
import type { CallRequest } from '../../contract/call.ts';
import { assertNever } from '../../runtime/assert-never.ts';
import type { SeenCall, SharedAnswer } from '../answers/share-answers.ts';
import { callName } from '../messages/call-name.ts';
import { patiently } from '../redis/patiently.ts';
import type { Asked, Asking, AskParts } from './ask-parts.ts';
import { fetchAnswer, untilEnd } from './await-job.ts';
import type { JobEnd } from './awaited-jobs.ts';
import { noAnswer, takenAnswer } from './shared-attempt.ts';

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

    if (!reservation.isHeld) await reserveAgain(parts.budget, call, reservation);
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

/** Undefined where the call has to be asked for again. */
async function conclude(
  parts: AskParts,
  asked: Asked,
  end: JobEnd,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const { share, runStop } = parts;
  const { reservation } = asked;
  if (end.kind === 'gone') {
    // Redis has lost the job, and a worker may have sent its request.
    if (end.isLost && asked.job.isAdded() && asked.job.isActive()) reservation.isHeld = false;
    return undefined;
  }
  if (end.kind === 'failed') {
    return noAnswer(
      { kind: 'transient', reason: end.reason },
      { endedAt: Math.floor(share.nowMs()) },
    );
  }
  const { result } = end;
  const isOwn = 'run' in result && result.run === share.presence.id;
  if (isOwn && result.mayBeCharged) asked.reservation.isHeld = false;
  switch (result.kind) {
    case 'lost':
      return undefined;
    case 'unwanted':
      // The run that had asked is gone; or all runs stop, and this one hears of it now.
      await patiently(() => share.pulse(), share.patience, runStop.or(signal));
      return undefined;
    case 'unanswered':
      return noAnswer(result.verdict, result);
    case 'answered': {
      const answer = end.answer ?? (await fetchAnswer(parts, asked, signal));
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
