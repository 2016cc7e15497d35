import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import { type Attempt, type AttemptParts, makeAttempt } from '../../client/make-attempt.ts';
import { type CallOutcome, type CallRequest, parseCall } from '../../contract/call.ts';
import type { NewSharedAnswer } from '../answers/share-answers.ts';
import type { JobEnd } from '../ask/awaited-jobs.ts';
import { CallMessage, type CallResult } from '../messages/call-message.ts';
import type { Share } from '../open-share.ts';
import { patiently } from '../redis/patiently.ts';
import { begin, type HeldJob } from './begin-call.ts';
import { NotNowError, openWaitingJob } from './waiting-job.ts';

export interface AnswerParts extends Omit<AttemptParts, 'breaker' | 'timeoutMs' | 'charged'> {
  readonly share: Share;
  readonly withoutKey: (outcome: CallOutcome) => CallOutcome;
  /** Hears how a job ends, before Redis does. */
  readonly deliver: (jobId: string, end: JobEnd) => void;
  readonly onTrouble: (error: Error) => void;
  /** Aborted to give up what is on the wire. */
  readonly signal: AbortSignal;
}

/** A worker of another version will take the message; an answer will be stored and make room. */
const laterMs = 1_000;
const fullText =
  'answers that no run has stored take all of service.share.memory, so that calls wait for them';
/** After so long between beginning and leaving, it is asked again whether the request may leave. */
const oldMs = 250;

/** Asks the call of a job once, and puts what came of it where all runs find it. */
export async function answerJob(parts: AnswerParts, job: Job, token: string): Promise<CallResult> {
  const parsed = CallMessage.safeParse(job.data);
  if (!parsed.success) {
    if (await isAwaited(parts.share, job.data)) return await giveBackUntilLater(job, token);
    return { kind: 'unwanted' };
  }
  const message = parsed.data;
  const jobId = job.id ?? '';
  const [name = '', generation] = jobId.split('-');
  const held: HeldJob = { id: jobId, token, call: name };
  const end = async (result: CallResult, answer?: NewSharedAnswer): Promise<CallResult> => {
    const fetchedAt = Math.floor(parts.share.nowMs());
    parts.deliver(jobId, {
      kind: 'result',
      result,
      ...(answer && { answer: { ...answer, fetchedAt } }),
    });
    // What is paid for is kept until Redis takes it.
    const { keepMs, maxBytes } = message;
    const kept = answer && { ...answer, keepMs, maxBytes };
    const store = () => parts.share.answers.end(name, Number(generation), kept);
    await patiently(store, parts.share.patience, parts.signal);
    return result;
  };
  const waiting = parts.runStop.or(parts.signal);
  const isStalled = job.stalledCounter > 0;
  const lost = { kind: 'lost', run: message.run, mayBeCharged: true } as const;
  try {
    const mayBegin = () => begin(parts.share, held, message);
    const beginning = await patiently(mayBegin, parts.share.patience, waiting);
    if (beginning !== 'go') throw new NotNowError(beginning);
    if (isStalled) return await end(lost);
    const { attempt, mayBeCharged } = await ask(parts, held, message);
    return await conclude(parts, attempt, { run: message.run, mayBeCharged }, end);
  } catch (error) {
    if (error instanceof NotNowError) {
      switch (error.beginning) {
        case 'unwanted':
          return await end(isStalled ? lost : { kind: 'unwanted' });
        case 'answered':
          // Where the job was begun before, the answer is of a worker that was believed dead.
          return { kind: 'answered', run: message.run, mayBeCharged: job.attemptsStarted > 1 };
        case 'full':
          parts.onTrouble(new Error(fullText));
          await parts.share.answers.relieve();
          return await giveBackUntilLater(job, token);
        case 'lost':
          throw error;
      }
    }
    if (error !== parts.runStop.signal.reason && error !== parts.signal.reason) throw error;
    // The worker stops: another one takes the job.
    parts.deliver(jobId, { kind: 'gone', isLost: false });
    await job.moveToWait(token);
    throw new WaitingError();
  }
}

/** Whether the run is there that has written a message of another version; all versions name it. */
async function isAwaited(
  { redis, keys }: Pick<Share, 'redis' | 'keys'>,
  message: unknown,
): Promise<boolean> {
  const run = Object(message).run as unknown;
  return typeof run === 'string' && (await redis.zscore(keys.present, run)) !== null;
}

/** Puts a job back for a moment; throws what tells BullMQ so. */
export async function giveBackUntilLater(job: Job, token: string): Promise<never> {
  await job.moveToDelayed(Date.now() + laterMs, token);
  throw new DelayedError();
}

/** Makes one attempt. The request of a job that has waited for long leaves only if it still may. */
async function ask(parts: AnswerParts, held: HeldJob, message: CallMessage) {
  const { share, clock, permits, runStop } = parts;
  const { timeoutMs, charged, isProven } = message;
  const stopping = runStop.or(parts.signal);
  using waiting = openWaitingJob(() => begin(share, held, message), stopping);
  let begunAtMs = clock.monotonicMs();
  const take = async (signal: AbortSignal) => {
    const permit = await permits.take(signal);
    if (clock.monotonicMs() - begunAtMs < oldMs) return permit;
    try {
      await waiting.ask();
    } catch (error) {
      permit.release();
      throw error;
    }
    begunAtMs = clock.monotonicMs();
    return permit;
  };
  const reservation = { isHeld: true };
  const call: CallRequest = parseCall(message.call);
  const attempt = await makeAttempt(
    {
      ...{ ...parts, timeoutMs, charged, breaker: { isProven } },
      permits: { ...permits, take },
      // What has left is not kept back by the end of the waiting.
      runStop: { ...runStop, or: () => waiting.signal },
    },
    call,
    reservation,
    parts.signal,
  );
  return { attempt, mayBeCharged: !reservation.isHeld };
}

/** Stores an answer, or tells the run what came instead of one. */
async function conclude(
  parts: AnswerParts,
  { verdict, answer, durationMs }: Attempt,
  about: { readonly run: string; readonly mayBeCharged: boolean },
  end: (result: CallResult, answer?: NewSharedAnswer) => Promise<CallResult>,
): Promise<CallResult> {
  const { status, body } = answer;
  try {
    switch (verdict.kind) {
      case 'hit':
      case 'miss': {
        parts.throttle.noteAnswer();
        const outcome = parts.withoutKey({ ...verdict, status, body, attempts: 1, durationMs });
        if (!('body' in outcome)) throw new Error('an answer has lost its body');
        const companyId = 'companyId' in outcome ? outcome.companyId : undefined;
        const paidBy = about.mayBeCharged ? about.run : undefined;
        const kept = { kind: verdict.kind, status, body: outcome.body, companyId, durationMs };
        return await end({ kind: 'answered', ...about }, { ...kept, paidBy });
      }
      case 'throttled':
        throw Worker.RateLimitError();
      default: {
        const endedAt = Math.floor(parts.share.nowMs());
        return await end({ kind: 'unanswered', ...about, verdict, status, durationMs, endedAt });
      }
    }
  } finally {
    parts.bodies.free(body.length);
  }
}
