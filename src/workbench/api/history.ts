import type { ChangesInsight } from '../../report/data/changes-data.ts';
import type { RunFacts } from '../../sinks/manifest.ts';
import type { ApiProblem } from './problem.ts';

/*
 *   GET  api/history            → HistoryJob[]: the runs of every job of the folder
 *   GET  api/changes?job&from&to → RunChanges: what differs between two runs
 *   GET  api/job-file?job       → JobFile: what the job file says
 *   POST api/job-file?job {to, comment, isDry} → JobFile: the same job under another name, written or to be read first
 */

export type { RunFacts };

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
