import type { Call } from '../core/contract/call.ts';
import type { Breach } from '../core/rules/expectations.ts';
import type { Counts } from '../core/rules/outcomes.ts';
import type { Spent } from '../core/values/money.ts';
import type { ReservedRequests } from '../engine/client/call-request.ts';
import type { Client } from '../engine/client/open-client.ts';
import type { Run } from '../engine/ledger/runs/runs.ts';
import type { StartFacts } from '../engine/ledger/runs/starts.ts';
import type { Clock } from '../platform/clock.ts';
import type { StartBudget } from './calls/start-budget.ts';
import type { Estimate } from './estimate-run.ts';
import type { ReplacedResult } from './export/destinations.ts';
import type { CreateReport, RunExport } from './export/export-run.ts';

/** A run needs only `send`, with all that `Client` promises of its results. */
export type ServiceClient = Pick<Client, 'send'> & Partial<Client>;

/** For each service of the job, in hexadecimal. Undefined for sample data, which is not charged. */
export type Accounts = readonly (readonly string[] | undefined)[];

export interface ClientFacts {
  /** The service has found a company before, so an empty 404 means that nothing was found. */
  readonly hasEverFound: boolean;
  readonly attempts: number;
  readonly budget?: ReservedRequests;
}

export interface HeldList {
  readonly why: string;
  /** Changes with the columns, cells and applied corrections of the list. */
  readonly hash: string;
}

export interface RunParts {
  /** Called before the first call of each service, so a run with only cached answers opens no socket. */
  readonly openClient: (facts: ClientFacts, serviceIndex: number) => Promise<ServiceClient>;
  readonly clock: Clock;
  readonly version: string;
  readonly startedBy?: StartFacts['startedBy'];
  /** Whether to look up a list that misses an expectation. */
  readonly acceptsList?: ((held: HeldList) => boolean | Promise<boolean>) | undefined;
  /** Called before the first call. Throws if the user declines. */
  readonly onPriced?:
    | ((estimate: Estimate, notes: readonly string[], replaces?: ReplacedResult) => Promise<void>)
    | undefined;
  /** Run even if the last start was later than now. */
  readonly acceptsClock?: boolean | undefined;
  /** Look up only corrected rows; all other rows keep their last outcome, however old. */
  readonly isFix?: boolean | undefined;
  /** Stops the run, which throws the signal's reason after storing every received answer. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  readonly budget?: StartBudget;
  readonly accounts?: Accounts;
  readonly createReport?: CreateReport;
  /** A stopped run waits this long for answers, because abandoned ones may be charged. */
  readonly graceMs?: number;
}

export interface RunObserver {
  onReceive?(bytes: number, ofBytes: number | undefined): void;
  onIngest(rows: number, share: number | undefined): void;
  onTaken?(): void;
  onStart(
    run: Run,
    isResumed: boolean,
    counts: Counts,
    facts: {
      readonly notes: readonly string[];
      readonly replaces: ReplacedResult | undefined;
      readonly spentBefore: readonly Spent[];
    },
  ): void;
  onProgress(counts: Counts): void;
  onExport(): void;
  /** `held` is null if all expectations are met. */
  onChecked?(held: readonly Breach[] | null): void;
  onWritten?(exported: RunExport): void;
  onStop?(waiting: {
    readonly answers: number;
    readonly atMostMs: number;
    /** Calls that `status` would list as possibly charged if the process died now. */
    unanswered(): readonly Call[];
  }): void;
  onPrune?(pruned: { readonly runs: number; readonly rows: number }): void;
  onBusy?(waitedMs: number): void;
  /** Called if earlier starts died with calls in flight and stored no answer. */
  onFewerCalls?(facts: { readonly deadStarts: number; readonly callsAtOnce: number }): void;
}
