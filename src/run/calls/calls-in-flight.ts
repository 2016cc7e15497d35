import type { CallOutcome, CallRequest } from '../../contract/call.ts';
import { DossierError, UnansweredError } from '../../errors.ts';
import type { Answer, LeasedCall } from '../../queue/run-queue.ts';
import type { Clock } from '../../runtime/clock.ts';

/** The part of the client that a run needs. It makes as many calls at once as the job allows. */
export interface ServiceCalls {
  /**
   * Throws a DossierError where the call was kept back, an UnansweredError where it had left. One request
   * of the budget is reserved for it.
   */
  send(call: CallRequest, signal: AbortSignal, hasFailedBefore?: boolean): Promise<CallOutcome>;
  /** Called when every call has its outcome: throws where the service is to blame that none was answered. */
  judge?(): void;
  /** Hears that the body of an outcome is stored, and its memory free for others. */
  release?(outcome: CallOutcome): void;
}

/** The calls that were given to the client, and what has come back of them. */
export interface CallsInFlight {
  /** Calls that neither answered nor failed yet. */
  readonly count: number;
  /** Answers that `takeAnswers` would give. */
  readonly answered: number;
  /**
   * Calls that have failed since the service answered last. Its next answer shows that it works and that they
   * have failed themselves; where the run stops before it, they stay open.
   */
  readonly failing: number;
  /** Why the run stops; undefined while it goes on. */
  readonly stopped: { readonly by: unknown } | undefined;
  /** Calls that had left and brought no answer before the run stopped; they are doubtful. */
  readonly unanswered: number;
  /** Calls that `takeUnsent` would give. */
  readonly unsent: number;
  send(calls: readonly LeasedCall[]): void;
  stop(reason: unknown): void;
  /** Every call has come back: the failing ones have failed, or the service is down and the run stops. */
  judge(): void;
  /** Takes the answers that came first, as many as one batch may hold. */
  takeAnswers(): Answer[];
  /** Tells the client that these answers are stored. */
  release(answers: readonly Answer[]): void;
  /** Calls that were leased and were kept back, or have no request left for another attempt. */
  takeUnsent(): number[];
  /** Failures that leave their calls open, since the run stops. */
  takeFailing(): Answer[];
  /** Waits until another call comes back, or for a while at most. */
  next(ms: number): Promise<void>;
}

export interface FlightOptions {
  readonly clock: Pick<Clock, 'wallMs'>;
  /** Aborted to stop the run; calls on the wire go on. */
  readonly stopping: AbortSignal;
  /** Aborted to give up what is on the wire, too. */
  readonly signal: AbortSignal;
  /** Whether what was reserved for a call was given back. */
  isFree?(call: CallRequest): boolean;
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

/** Failures as they are stored. A hit proves the service, and then an empty 404 was a miss. */
function decided(failures: readonly Answer[], isProven: boolean): Answer[] {
  return failures.map((answer) => {
    if (answer.outcome.kind !== 'failed') return answer;
    const { missIfProven, ...failed } = answer.outcome;
    return { ...answer, outcome: (isProven && missIfProven) || failed };
  });
}

function isOutOfBudget(error: unknown): boolean {
  return error instanceof DossierError && error.code === 'BUDGET_SPENT';
}

export function openCallsInFlight(
  api: ServiceCalls,
  { clock, stopping, signal, isFree = () => false }: FlightOptions,
): CallsInFlight {
  let count = 0;
  const answers: Answer[] = [];
  let failing: Answer[] = [];
  let unsent: number[] = [];
  let unanswered = 0;
  let stopped: { readonly by: unknown } | undefined;
  let wake = () => {};
  let hasNews = false;

  const stop = (reason: unknown) => {
    stopped ??= { by: reason };
  };
  /** The client lets nothing leave when it throws one of these. Any other error is a bug of it. */
  const isKeptBack = (error: unknown) => error instanceof DossierError || error === stopping.reason;

  const arrive = (answer: Answer) => {
    if (answer.outcome.kind === 'failed') {
      failing.push(answer);
      return;
    }
    const isHit = answer.outcome.kind === 'hit';
    // An answer that another machine was given may come here after a failure that followed it.
    const { shown = [], open = [] } = Object.groupBy(failing, ({ outcome, fetchedAt }) =>
      fetchedAt <= answer.fetchedAt || (isHit && 'missIfProven' in outcome) ? 'shown' : 'open',
    );
    failing = open;
    answers.push(...decided(shown, isHit), answer);
  };

  const sendOne = async ({ callId, call, hasFailed }: LeasedCall) => {
    try {
      if (stopped) unsent.push(callId);
      else {
        const outcome = await api.send(call, signal, hasFailed);
        const fetchedAt = outcome.fetchedAt ?? clock.wallMs();
        const answer = { callId, outcome, fetchedAt };
        arrive(isFree(call) ? { ...answer, isFree: true } : answer);
      }
    } catch (error) {
      // Without a request for another attempt a call is open again, and the others go on.
      if (!isOutOfBudget(error)) stop(error instanceof UnansweredError ? error.cause : error);
      // A call that was cut off on the wire may have been charged.
      if (isKeptBack(error) && !signal.aborted) unsent.push(callId);
      else unanswered += 1;
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
    get failing() {
      return failing.length;
    },
    get stopped() {
      return stopped;
    },
    get unsent() {
      return unsent.length;
    },
    get unanswered() {
      return unanswered;
    },
    stop,
    judge() {
      try {
        api.judge?.();
        answers.push(...decided(failing.splice(0), false));
      } catch (error) {
        stop(error);
      }
    },
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
      const taken = unsent;
      unsent = [];
      return taken;
    },
    takeFailing: () => decided(failing.splice(0), false),
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
