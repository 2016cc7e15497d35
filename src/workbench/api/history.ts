import type { ChangesInsight } from '../../report/data/changes-data.ts';
import type { Amount } from './place.ts';
import type { ApiProblem } from './problem.ts';

/*
 *   GET  api/history            → HistoryJob[]: the runs of every job of the folder
 *   GET  api/changes?job&from&to → RunChanges: what differs between two runs
 *   GET  api/job-file?job       → JobFile: what the job file says
 *   POST api/job-file?job {to, comment, isDry} → JobFile: the same job under another name, written or to be read first
 */

/** A job with its runs. */
export interface HistoryJob {
  /** Its path from the folder; null for one whose file is no longer there. */
  readonly path: string | null;
  readonly name: string;
  /** Newest first. */
  readonly runs: readonly HistoryRun[];
  /** Why its runs cannot be read. */
  readonly problem: ApiProblem | null;
}

export interface HistoryRun {
  /** `r7` */
  readonly id: string;
  readonly startedAt: number;
  /** Null while it goes on, and where nobody knows. */
  readonly seconds: number | null;
  readonly startedBy: 'page' | 'terminal' | 'script' | null;
  /** The machine that it ran on last. */
  readonly host: string | null;
  readonly state: 'running' | 'interrupted' | 'finished' | 'superseded';
  /** Where its result is held: why. */
  readonly held: readonly string[];
  /** How the last start of it ended: a code of the errors, or null where it has just ended. */
  readonly reason: string | null;
  readonly exitCode: number | null;
  /** It has read only the first rows. */
  readonly limit: number | null;
  readonly isSample: boolean;
  /** Its rows are gone from the ledger. */
  readonly isPruned: boolean;
  /** Whether it can be compared with another: it is finished and of the whole list. */
  readonly isComparable: boolean;
  readonly rows: number;
  readonly matched: number;
  readonly people: number;
  readonly requests: number;
  readonly money: readonly Amount[];
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
