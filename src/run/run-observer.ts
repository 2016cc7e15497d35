import type { CallRequest } from '../contract/call.ts';
import type { Breach } from '../rules/expectations.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { OpenRun } from './open-run.ts';
import type { ReplacedResult } from './places/replaced-result.ts';
import type { RunExport } from './write-outputs.ts';

/** What people should know before the first call. */
export interface ToldAtStart {
  /** What was guessed to read the list. */
  readonly notes: readonly string[];
  /** The result that will be replaced by one of fewer rows. */
  readonly replaces: ReplacedResult | undefined;
}

/** Hears how a run goes, for the log and the progress line. */
export interface RunObserver {
  /** Bytes of a list at an address have come, of how many where that is known. */
  onReceive?(bytes: number, ofBytes: number | undefined): void;
  onIngest(rows: number, share: number | undefined): void;
  /** The run holds its job: no other process works on it. */
  onTaken?(): void;
  /** The list is read. */
  onStart(run: OpenRun['run'], isResumed: boolean, counts: Counts, told: ToldAtStart): void;
  onProgress(counts: Counts): void;
  onExport(): void;
  /** All rows have ended: what the result was expected to be and is not; null where it is good. */
  onJudged?(held: readonly Breach[] | null): void;
  /** The files of a run are written, be it one that was stopped. */
  onWritten?(exported: RunExport): void;
  /** The run is being stopped and waits for the answers to calls that have left. */
  onStop?(waiting: WaitingForAnswers): void;
  /** Runs beyond `ledger.keepRuns` were removed from the ledger, and rows that only they had. */
  onPrune?(pruned: { readonly runs: number; readonly rows: number }): void;
  /** Another program holds the ledger; the run waits, and keeps the answers that have come. */
  onHeld?(waitedMs: number): void;
  /** Starts before this one died with calls in flight and no answer, so it makes fewer at once. */
  onFewerCalls?(facts: { readonly deadStarts: number; readonly callsAtOnce: number }): void;
}

export interface WaitingForAnswers {
  readonly answers: number;
  readonly atMostMs: number;
  /** The calls among them that are not answered yet, at the moment of asking. */
  unanswered(): readonly CallRequest[];
}
