import type { ReportData } from '../../report/data/report-data.ts';

/** Where a job stands, as every view of it shows. */
export interface JobState {
  readonly isRunning: boolean;
  /** The user has asked for the end; the run waits for answers that may be charged. */
  readonly isStopping: boolean;
  /** Calls that were sent or are about to be: what a stop waits for at most. */
  readonly inFlight: number;
  /** The newest run so far; null where the job has not run. */
  readonly run: ReportData | null;
  /** Until the last call, at the pace so far; null where it is not known. */
  readonly secondsLeft: number | null;
  /** How the last process ended that this page has started; null while it goes on. */
  readonly ended: EndedStart | null;
}

/** How a process ended that was started here, as its `run --json` tells. */
export interface EndedStart {
  readonly exitCode: number;
  readonly reason: string | null;
  readonly message: string | null;
  readonly remedy: string | null;
}
