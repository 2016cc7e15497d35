import type { RunEnd, RunFacts } from '../../../results/manifest.ts';
import type { ChangesInsight } from '../../report/report-data.ts';
import type { ApiProblem } from './lists.ts';

export type { RunFacts };

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
  readonly run: ShownRun | null;
  /** Until the last call, at the pace so far; null where it is not known. */
  readonly secondsLeft: number | null;
  /** How the last start ended, whoever has started it; null while it goes on, or where it was killed. */
  readonly ended: EndedStart | null;
}

/** The facts of a run, whether it goes on or has ended. */
export interface ShownRun extends RunFacts {
  /** What the process at work on it does; null where there is none. */
  readonly phase: 'reading' | 'calling' | 'writing' | null;
  readonly hasPeople: boolean;
  /** What its calls cost, such as `AUD 14.40`; empty where the job has no price. */
  readonly paid: string;
}

/** How a start ended, as its `run --json` tells; what a terminal has started is told by the ledger. */
export type EndedStart = Pick<RunEnd, 'exitCode' | 'reason' | 'message' | 'remedy'>;

/** What a run would take, as `dossier plan --json` tells it, as far as the page shows it. */
export interface RunPlan {
  readonly sampleData: boolean;
  readonly resumes: {
    readonly run: string;
    readonly rowsSettled: number;
    readonly rowsOpen: number;
  } | null;
  readonly replaces: {
    readonly folder: string;
    readonly run: string;
    readonly input: string;
    readonly rows: number;
  } | null;
  readonly rows: {
    readonly total: number;
    /** Rows without an identifier, by reason, most frequent first. */
    readonly rejects: Readonly<Record<string, number>>;
    readonly duplicates: number;
    /** Rows that are to be asked for. */
    readonly open: number;
    readonly suppressed: number;
  };
  readonly atHand: {
    readonly companies: number;
    readonly misses: number;
    readonly peoplePages: number;
  };
  readonly calls: PlanRange & {
    /** Lookups more, at most, by the next column of a row that is not found. */
    readonly fallbacks: number;
    readonly people: PlanRange;
  };
  /** What was guessed of the whole list. */
  readonly notes: readonly string[];
  /** The most calls that are expected, with some more for those that have to be tried again. */
  readonly advisedBudget: number;
  readonly seconds: PlanRange | null;
  readonly budget: {
    readonly perStart: number | null;
    readonly perDay: number | null;
    readonly perMonth: number | null;
    readonly verdict: 'enough' | 'likely' | 'perhaps' | 'short';
  } | null;
  /** Null where a price that is needed is not set. */
  readonly price:
    | (PlanRange & {
        readonly currency: string;
        /** The price of `advisedBudget`: the amount on the button and the limit of the run. */
        readonly withMargin: number;
      })
    | null;
}

export interface PlanRange {
  readonly least: number;
  /** The most while the service fills the pages of people that it is asked for. */
  readonly mostIfFull: number;
}

/*
 *   GET  api/history            → HistoryJob[]: the runs of every job of the folder
 *   GET  api/changes?job&from&to → RunChanges: what differs between two runs
 *   POST api/job-file?job {to, comment} → JobFile: the same job, written under another name
 */

/** A job with its runs. */
export interface HistoryJob {
  /** Its path from the folder; null for one whose file is no longer there. */
  readonly path: string | null;
  readonly name: string;
  /** Newest first. */
  readonly runs: readonly RunFacts[];
  /** Why its runs cannot be read. */
  readonly problem: ApiProblem | null;
}

export interface RunChanges {
  readonly from: string;
  readonly to: string;
  readonly changes: ChangesInsight;
}

export interface JobFile {
  /** From the folder. */
  readonly path: string;
  readonly text: string;
}

/*
 *   GET  api/outputs?job&run → RunOutputs
 *   GET  api/report?job&run  → leads to report.html of the run, as it was written, at an address of its own
 *   POST api/outputs?job     → writes the result to all its places again, as `dossier export` does
 *   POST api/accept?job      → publishes the result that is held, as `dossier export --accept` does
 */

/** The files of a run. */
export interface RunOutputs {
  /** Where they are; null where they were moved, replaced by a later run, or not written. */
  readonly folder: string | null;
  readonly files: readonly {
    readonly name: string;
    readonly rows: number;
    readonly bytes: number;
  }[];
  readonly hasReport: boolean;
  /** Where else the job brings its result, which is not looked at: folders and addresses. */
  readonly otherDestinations: readonly string[];
}
