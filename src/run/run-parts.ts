import type { CallOutcome, CallRequest } from '../core/contract/call.ts';
import type { Breach } from '../core/rules/expectations.ts';
import type { Counts } from '../core/rules/outcomes.ts';
import type { totalSpend } from '../core/runtime/budget/money.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import type { StartFacts } from '../engine/ledger/runs/starts.ts';
import type { Charges, RequestBudget } from './calls/charges.ts';
import type { ReplacedResult } from './destinations.ts';
import type { OpenReport, RunExport } from './write-outputs.ts';

export interface ServiceCalls {
  /**
   * The budget has one request reserved for this call. Throws a DossierError if the call did not
   * leave, an UnansweredError if it did.
   */
  send(call: CallRequest, signal: AbortSignal, hasFailedBefore?: boolean): Promise<CallOutcome>;
  /**
   * Call after the last outcome. Throws if no call was answered because the service is unreachable.
   */
  judge?(): void;
  release?(outcome: CallOutcome): void;
}

export interface ServiceClient extends ServiceCalls, AsyncDisposable {
  /** No request leaves after this. Requests in flight may still be answered. */
  stop(error: Error): void;
  /** Requests without an answer yet, and the longest wait for the last one. */
  onWire?(): { readonly calls: readonly CallRequest[]; readonly atMostMs: number };
}

export interface ClientFacts {
  /** The service has returned a hit before, so its empty 404 is a miss. */
  readonly isProven: boolean;
  readonly budget?: Charges;
}

export interface RunParts {
  /** Called before the first call. A run with only cached answers opens no socket. */
  readonly openClient: (facts: ClientFacts) => Promise<ServiceClient>;
  readonly clock: Clock;
  readonly version: string;
  readonly startedBy?: StartFacts['startedBy'];
  /** Set by `run --accept`: look up the list even if it is not as expected. */
  readonly acceptsList?: boolean | undefined;
  /** Stops the run. Its reason is thrown after everything is stored. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  readonly budget?: RequestBudget;
  /** Hash of the account that is charged. Without it, requests are not counted in the ledger. */
  readonly account?: string | undefined;
  readonly openReport?: OpenReport;
  /**
   * How long to wait for answers in flight after a stop. Default: the job's timeout, because an
   * abandoned answer may be paid for.
   */
  readonly graceMs?: number;
}

export interface StartNotes {
  readonly notes: readonly string[];
  /** A result that will be replaced by one with fewer rows. */
  readonly replaces: ReplacedResult | undefined;
  /** Requests of earlier starts of this run. */
  readonly spentBefore: Parameters<typeof totalSpend>[0];
}

export interface RunObserver {
  /** For a list at a URL. `ofBytes` is undefined if the size is unknown. */
  onReceive?(bytes: number, ofBytes: number | undefined): void;
  onIngest(rows: number, share: number | undefined): void;
  onTaken?(): void;
  onStart(run: Run, isResumed: boolean, counts: Counts, facts: StartNotes): void;
  onProgress(counts: Counts): void;
  onExport(): void;
  /**
   * Called when all rows have ended. `held` lists the unmet expectations; null if there are none.
   */
  onJudged?(held: readonly Breach[] | null): void;
  /** Also called for a stopped run. */
  onWritten?(exported: RunExport): void;
  onStop?(waiting: {
    readonly answers: number;
    readonly atMostMs: number;
    /** Leased calls without a stored answer, as `status` would report them now. */
    unanswered(): readonly CallRequest[];
  }): void;
  onPrune?(pruned: { readonly runs: number; readonly rows: number }): void;
  /** Another program holds the ledger. The run waits and keeps its answers. */
  onHeld?(waitedMs: number): void;
  /**
   * Earlier starts died with calls in flight and no answer, so this one makes fewer calls at once.
   */
  onFewerCalls?(facts: { readonly deadStarts: number; readonly callsAtOnce: number }): void;
}
