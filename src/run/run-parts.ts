import type { CallOutcome, CallRequest } from '../core/contract/call.ts';
import type { Breach } from '../core/rules/expectations.ts';
import type { Counts } from '../core/rules/outcomes.ts';
import type { totalSpend } from '../core/runtime/budget/money.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import type { StartFacts } from '../engine/ledger/runs/starts.ts';
import type { Charges, RequestBudget } from './calls/charges.ts';
import type { ReplacedResult } from './result-places.ts';
import type { OpenReport, RunExport } from './write-outputs.ts';

/** The part of the client that makes calls: as many at once as the job allows. */
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
  readonly startedBy?: StartFacts['startedBy'];
  /** The list may be looked up although it is not what was expected. */
  readonly acceptsList?: boolean | undefined;
  /** Aborted to stop the run; its reason is thrown after everything is stored. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Counts the requests that may be charged; one of the job's own size where there is none. */
  readonly budget?: RequestBudget;
  /** The account that is charged, as a hash. Without one no request is counted in the ledger. */
  readonly account?: string | undefined;
  /** The sink of the report for people; a run without it has only its files. */
  readonly openReport?: OpenReport;
  /**
   * How long answers on the wire are waited for after a stop. By default each attempt has the time that
   * the job gives it: an answer that is given up may have been paid for.
   */
  readonly graceMs?: number;
}

/** What people should know before the first call. */
export interface ToldAtStart {
  /** What was guessed to read the list. */
  readonly notes: readonly string[];
  /** The result that will be replaced by one of fewer rows. */
  readonly replaces: ReplacedResult | undefined;
  /** Requests of earlier starts of the run. */
  readonly spentBefore: Parameters<typeof totalSpend>[0];
}

/** Hears how a run goes, for the log and the progress line. */
export interface RunObserver {
  /** Bytes of a list at an address have come, of how many where that is known. */
  onReceive?(bytes: number, ofBytes: number | undefined): void;
  onIngest(rows: number, share: number | undefined): void;
  /** The run holds its job: no other process works on it. */
  onTaken?(): void;
  /** The list is read. */
  onStart(run: Run, isResumed: boolean, counts: Counts, told: ToldAtStart): void;
  onProgress(counts: Counts): void;
  onExport(): void;
  /** All rows have ended: what the result was expected to be and is not; null where it is good. */
  onJudged?(held: readonly Breach[] | null): void;
  /** The files of a run are written, be it one that was stopped. */
  onWritten?(exported: RunExport): void;
  /** The run is being stopped and waits for the answers to calls that have left. */
  onStop?(waiting: {
    readonly answers: number;
    readonly atMostMs: number;
    /** Leased calls without a stored answer, as `status` would name them if the process ended now. */
    unanswered(): readonly CallRequest[];
  }): void;
  /** Runs beyond `ledger.keepRuns` were removed from the ledger, and rows that only they had. */
  onPrune?(pruned: { readonly runs: number; readonly rows: number }): void;
  /** Another program holds the ledger; the run waits, and keeps the answers that have come. */
  onHeld?(waitedMs: number): void;
  /** Starts before this one died with calls in flight and no answer, so it makes fewer at once. */
  onFewerCalls?(facts: { readonly deadStarts: number; readonly callsAtOnce: number }): void;
}
