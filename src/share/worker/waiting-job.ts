import type { Beginning } from './begin-call.ts';

/** Thrown where a request may not leave any more. */
export class NotNowError extends Error {
  readonly beginning: Exclude<Beginning, 'go'>;

  constructor(beginning: Exclude<Beginning, 'go'>) {
    super(`the request may not leave: ${beginning}`);
    this.beginning = beginning;
  }
}

/** A job whose request has not left: it waits for a permit, or for the end of a throttle. */
export interface WaitingJob extends Disposable {
  /** Aborted where the worker stops, and where the request may not leave any more. */
  readonly signal: AbortSignal;
  /** Asks again whether the request may leave; throws where it may not. */
  ask(): Promise<void>;
}

/** A throttle may last for an hour, and its run may be stopped meanwhile. */
const askAgainMs = 1_000;

/** Asks once a second whether a request may still leave, until it has left or the job is over. */
export function openWaitingJob(begin: () => Promise<Beginning>, stopping: AbortSignal): WaitingJob {
  const waiting = new AbortController();
  const stop = () => waiting.abort(stopping.reason);
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop, { once: true });
  const ask = async () => {
    const beginning = await begin();
    if (beginning !== 'go') throw new NotNowError(beginning);
  };
  let isAsking = false;
  const askAgain = async () => {
    // Where Redis is away, its answer comes when it is back.
    if (isAsking) return;
    isAsking = true;
    try {
      await ask();
    } catch (error) {
      if (error instanceof NotNowError) waiting.abort(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void askAgain(), askAgainMs);
  return {
    signal: waiting.signal,
    ask,
    [Symbol.dispose]() {
      clearInterval(timer);
      stopping.removeEventListener('abort', stop);
    },
  };
}
