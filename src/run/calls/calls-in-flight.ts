import type { CallOutcome, CallRequest } from '../../contract/call.ts';
import { DossierError } from '../../errors.ts';
import type { Answer, LeasedCall } from '../../queue/run-queue.ts';
import type { Clock } from '../../runtime/clock.ts';

/** The part of the client that a run needs. It makes as many calls at once as the job allows. */
export interface ServiceCalls {
  send(call: CallRequest, signal: AbortSignal): Promise<CallOutcome>;
  /** Hears that the body of an outcome is stored, and its memory free for others. */
  release?(outcome: CallOutcome): void;
}

/** The calls that were given to the client, and what has come back of them. */
export interface CallsInFlight {
  /** Calls that neither answered nor failed yet. */
  readonly count: number;
  /** Answers that `takeAnswers` would give. */
  readonly answered: number;
  /** Why the run stops; undefined while it goes on. */
  readonly stopped: { readonly by: unknown } | undefined;
  send(calls: readonly LeasedCall[]): void;
  stop(reason: unknown): void;
  /** Takes the answers that came first, as many as one batch may hold. */
  takeAnswers(): Answer[];
  /** Tells the client that these answers are stored. */
  release(answers: readonly Answer[]): void;
  /** Calls that were leased and certainly did not leave. */
  takeUnsent(): number[];
  /** Waits until another call comes back, or for a while at most. */
  next(ms: number): Promise<void>;
}

export interface FlightOptions {
  readonly clock: Pick<Clock, 'wallMs'>;
  /** Aborted to stop the run; calls on the wire go on. */
  readonly stopping: AbortSignal;
  /** Aborted to give up what is on the wire, too. */
  readonly signal: AbortSignal;
}

/** Large bodies are stored in several batches, since each batch is copied as a whole. */
const maxBatchBytes = 32 * 1_024 * 1_024;

/** How many answers from the first on fit into a batch; at least one. */
function fitting(answers: readonly Answer[]): number {
  let bytes = 0;
  const tooLarge = answers.findIndex(({ outcome }, index) => {
    bytes += 'body' in outcome ? outcome.body.length : 0;
    return index > 0 && bytes > maxBatchBytes;
  });
  return tooLarge === -1 ? answers.length : tooLarge;
}

export function openCallsInFlight(
  api: ServiceCalls,
  { clock, stopping, signal }: FlightOptions,
): CallsInFlight {
  let count = 0;
  const answers: Answer[] = [];
  let unsent: number[] = [];
  let stopped: { readonly by: unknown } | undefined;
  let wake = () => {};
  let hasNews = false;

  const stop = (reason: unknown) => {
    stopped ??= { by: reason };
  };
  /** The client lets nothing leave when it throws one of these. Any other error is a bug of it. */
  const isKeptBack = (error: unknown) => error instanceof DossierError || error === stopping.reason;

  const sendOne = async ({ callId, call }: LeasedCall) => {
    try {
      if (stopped) unsent.push(callId);
      else {
        const outcome = await api.send(call, signal);
        answers.push({ callId, outcome, fetchedAt: clock.wallMs() });
      }
    } catch (error) {
      stop(error);
      if (isKeptBack(error)) unsent.push(callId);
    }
    count -= 1;
    hasNews = true;
    wake();
  };

  return {
    get count() {
      return count;
    },
    get answered() {
      return answers.length;
    },
    get stopped() {
      return stopped;
    },
    stop,
    send(calls) {
      count += calls.length;
      for (const call of calls) void sendOne(call);
    },
    takeAnswers() {
      return answers.splice(0, fitting(answers));
    },
    release(stored) {
      for (const { outcome } of stored) api.release?.(outcome);
    },
    takeUnsent() {
      // A call that was cut off on the wire may have been charged, so it stays leased.
      const taken = signal.aborted ? [] : unsent;
      unsent = [];
      return taken;
    },
    async next(ms) {
      if (!hasNews) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasNews = false;
      wake = () => {};
    },
  };
}
