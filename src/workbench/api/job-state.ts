import type { ReportData, ReportRun } from '../../report/data/report-data.ts';

/** Where a job stands, as every view of it shows. */
export interface JobState {
  readonly isRunning: boolean;
  /** It runs, and `run` is still the one before: a process needs a moment to begin another. */
  readonly isStarting: boolean;
  /** The user has asked for the end; the run waits for answers that may be charged. */
  readonly isStopping: boolean;
  /** Calls that were sent or are about to be: what a stop waits for at most. */
  readonly inFlight: number;
  /** The newest run so far; null where the job has not run. */
  readonly run: RunProgress | null;
  /** Rows that the run reads at most, where it is a try of the first ones. */
  readonly rowLimit: number | null;
  /** Until the last call, at the pace so far; null where it is not known. */
  readonly secondsLeft: number | null;
  /** How the last start ended, whoever has started it; null while it goes on, or where it was killed. */
  readonly ended: EndedStart | null;
  /** The run has finished, and a place of its result could not be written: that is tried again without a call. */
  readonly canWriteAgain: boolean;
}

/** The figures of a run, whether it goes on or has ended. */
export interface RunProgress extends Pick<ReportData, 'rows' | 'people' | 'calls' | 'paid'> {
  readonly run: Pick<ReportRun, 'id' | 'held' | 'hasPeople' | 'took'> & {
    readonly state: 'reading' | 'running' | 'writing' | 'finished' | 'interrupted';
  };
}

/** How a start ended, as its `run --json` tells; what a terminal has started is told by the ledger. */
export interface EndedStart {
  readonly exitCode: number;
  readonly reason: string | null;
  readonly message: string | null;
  readonly remedy: string | null;
}
