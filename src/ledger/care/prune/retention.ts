import type { Database } from 'better-sqlite3';
import { type PrunedRuns, pruneRuns } from './prune-runs.ts';

/** What a job has asked to be kept. */
export interface Wishes {
  readonly keepRuns: number;
  /** How old an answer may be that the job still uses; Infinity where age does not matter. */
  readonly useMs: number;
}

/** What the runs of a ledger leave behind. */
export interface Retention {
  /** Notes what a job wants to be kept, and prunes its old runs. Runs inside a transaction. */
  keep(job: string, wishes: Wishes, now: number): PrunedRuns;
}

export function retentionIn(db: Database): Retention {
  const note = db.prepare(`
    insert or replace into retention (job, keep_runs, use_ms) values (:job, :keepRuns, :useMs)`);
  return {
    keep(job, { keepRuns, useMs }, now) {
      note.run({ job, keepRuns, useMs: Number.isFinite(useMs) ? useMs : null });
      return pruneRuns(db, job, { keepRuns }, now);
    },
  };
}
