import type { Reservation } from '../../client/make-attempt.ts';
import type { Throttle } from '../../client/rate/throttle.ts';
import type { RequestBudget } from '../../client/request-budget.ts';
import type { RunStop } from '../../client/run-stop.ts';
import type { BodyBudget } from '../../client/wire/body-budget.ts';
import type { CallRequest } from '../../contract/call.ts';
import type { SeenCall } from '../answers/share-answers.ts';
import type { CallMessage } from '../messages/call-message.ts';
import type { Share } from '../open-share.ts';
import type { AwaitedJob, AwaitedJobs } from './awaited-jobs.ts';

export interface AskParts {
  readonly share: Share;
  readonly awaited: AwaitedJobs;
  readonly runStop: RunStop;
  readonly throttle: Pick<Throttle, 'isOn' | 'waitUntilOver'>;
  readonly bodies: BodyBudget;
  readonly budget: Pick<RequestBudget, 'reserve'>;
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
export interface Asking {
  readonly call: CallRequest;
  readonly reservation: Reservation;
  /** What was just seen of it. */
  readonly seen?: SeenCall | undefined;
}

/** A call that is asked under the name of a job. */
export interface Asked extends Asking {
  readonly generation: number;
  readonly jobId: string;
  readonly askedAt: number;
  readonly job: AwaitedJob;
}
