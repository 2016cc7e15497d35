import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../../errors.ts';
import { parseDuration } from '../../../runtime/duration.ts';
import {
  defaultKeepRuns,
  defaultStaleOnFailure,
} from '../../../runtime/terms/default-retention.ts';
import { type LedgerFile, openToWrite } from '../../file/ledger-file.ts';
import { withTrouble } from '../../file/ledger-trouble.ts';
import { giveBack, pageBytes } from './give-back.ts';
import { pruneAnswers } from './prune-answers.ts';
import { pruneRuns } from './prune-runs.ts';
import { refuseRunsInUse } from './runs-in-use.ts';

export interface PruneOptions {
  /** Runs of each job that stay; what each job has asked for when absent. */
  readonly keepRuns: number | undefined;
  /** Runs and answers older than this go, though a job might still use the answers. */
  readonly olderThanMs: number | undefined;
  readonly isDryRun: boolean;
  readonly now: number;
}

export interface Pruned {
  readonly ledger: string;
  readonly isDryRun: boolean;
  readonly runs: number;
  readonly rows: number;
  readonly outcomes: number;
  readonly searches: number;
  readonly answers: number;
  readonly calls: number;
  readonly bytesBefore: number;
  /** Size of the file now; of a dry run, what it would be about. */
  readonly bytesAfter: number;
}

/** How long a job uses an answer that has noted nothing, as lookups do. */
const defaultUseMs = parseDuration(defaultStaleOnFailure) ?? Number.POSITIVE_INFINITY;

/** Below this, the time to write the whole file anew is worth more than the room. */
const leastFreeShare = 0.01;

/**
 * Removes old runs and answers that no job uses any more, and makes the file smaller. What goes goes in
 * one transaction. A dry run does the same and takes it back.
 */
export function pruneLedger(given: string, options: PruneOptions): Pruned {
  using file = openToWrite(given);
  const { db, path } = file;
  return withTrouble(path, () => {
    refuseDamaged(file);
    // Of the file with its log: a run that was killed has left much of it there.
    const { used, free } = pageBytes(db);
    const removed = removeOld(file, options);
    const isWorthIt = removed.bytesFree >= leastFreeShare * removed.bytesUsed;
    if (!options.isDryRun && isWorthIt && removed.bytesFree > 0) giveBack(db, path);
    const { bytesUsed, bytesFree: _, ...counts } = removed;
    const bytesAfter = options.isDryRun ? bytesUsed : statSync(path).size;
    return {
      ledger: path,
      isDryRun: options.isDryRun,
      ...counts,
      bytesBefore: used + free,
      bytesAfter,
    };
  });
}

/**
 * What a damaged file says about its lines may be wrong, and a line that is removed cannot be saved any more.
 * The quick check of SQLite is not enough: it does not look whether the indexes, by which lines are chosen,
 * agree with their tables.
 */
function refuseDamaged({ db, path }: LedgerFile): void {
  const found = String(db.pragma('integrity_check(1)', { simple: true }));
  if (found === 'ok') return;
  throw new DossierError(
    'LEDGER_DAMAGED',
    `${path} is damaged, and nothing was removed from it: ${found}`,
  );
}

function removeOld({ db, path }: LedgerFile, options: PruneOptions) {
  db.exec('begin immediate');
  try {
    if (!options.isDryRun) refuseRunsInUse(db, path);
    const counts = { runs: 0, rows: 0, outcomes: 0, searches: 0 };
    const { now, olderThanMs } = options;
    const since = olderThanMs === undefined ? undefined : now - olderThanMs;
    for (const { job, keepRuns } of jobsIn(db)) {
      const terms = { keepRuns: options.keepRuns ?? keepRuns, since };
      const pruned = pruneRuns(db, job, terms, options.now);
      for (const what of ['runs', 'rows', 'outcomes', 'searches'] as const) {
        counts[what] += pruned[what];
      }
    }
    const pruned = pruneAnswers(db, since ?? options.now - longestUseMs(db));
    const { used: bytesUsed, free: bytesFree } = pageBytes(db);
    db.exec(options.isDryRun ? 'rollback' : 'commit');
    const searches = counts.searches + pruned.searches;
    return { ...counts, ...pruned, searches, bytesUsed, bytesFree };
  } catch (error) {
    if (db.inTransaction) db.exec('rollback');
    throw error;
  }
}

/** Every job of the ledger, lookups included, and how many runs it wants to be kept. */
function jobsIn(db: Database): { job: string; keepRuns: number }[] {
  return db
    .prepare<{ usual: number }, { job: string; keepRuns: number }>(`
      select u.job, coalesce(w.keep_runs, :usual) as keepRuns
      from (select distinct job from run) u left join retention w on w.job = u.job`)
    .all({ usual: defaultKeepRuns });
}

/** How old an answer may be that some job of the ledger still uses. */
function longestUseMs(db: Database): number {
  const wishes = db
    .prepare<{ usual: number }, { use_ms: number | null }>(`
      select iif(w.job is null, :usual, w.use_ms) as use_ms
      from (select distinct job from run) u left join retention w on w.job = u.job`)
    .all({ usual: defaultUseMs });
  if (wishes.length === 0) return defaultUseMs;
  return Math.max(...wishes.map(({ use_ms }) => use_ms ?? Number.POSITIVE_INFINITY));
}
