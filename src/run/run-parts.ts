import type { CallRequest } from '../contract/call.ts';
import type { JobParts } from '../queue/job/job-runs.ts';
import type { Clock } from '../runtime/clock.ts';
import type { CallMeter } from './calls/call-meter.ts';
import type { ServiceCalls } from './calls/calls-in-flight.ts';
import type { Charges } from './calls/charges.ts';
import type { RequestBudget } from './calls/request-budget.ts';
import type { RunObserver } from './run-observer.ts';
import type { OpenReport } from './write-outputs.ts';

/** The client as a run sees it. */
export interface ServiceClient extends ServiceCalls, AsyncDisposable {
  /** Lets no attempt leave any more; one on the wire may still bring its answer. */
  stop(error: Error): void;
  /** Calls whose request has left and is not answered, and how long the last answer can take. */
  onWire?(): { readonly calls: readonly CallRequest[]; readonly atMostMs: number };
}

/** What the run knows of its service before the first call. */
export interface ClientFacts {
  /** It has given a hit before: an empty 404 of it is a miss, and not a wrong address. */
  readonly isProven: boolean;
  /** Counts the requests that may be charged. */
  readonly budget?: Charges;
}

export interface RunParts {
  /** Called when the first call is needed: a run of cache hits alone opens no socket. */
  readonly openClient: (facts: ClientFacts) => Promise<ServiceClient>;
  readonly clock: Clock;
  readonly version: string;
  /** How the command was given. */
  readonly startedBy?: NonNullable<JobParts['start']>['startedBy'];
  /** Aborted to stop the run; its reason is thrown after everything is stored. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Counts the requests that may be charged; one of the job's own size where there is none. */
  readonly budget?: RequestBudget;
  /** The account that is charged, as a hash. Without one no request is counted in the ledger. */
  readonly account?: string | undefined;
  /** Hears what happens on the wire; what it has measured is kept with the run. */
  readonly meter?: CallMeter;
  /** The sink of the report for people; a run without it has only its files. */
  readonly openReport?: OpenReport;
  /**
   * How long answers on the wire are waited for after a stop. By default each attempt has the time that
   * the job gives it: an answer that is given up may have been paid for.
   */
  readonly graceMs?: number;
}
