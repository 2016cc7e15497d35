import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { defaultKeepRuns, defaultStaleOnFailure } from '../../runtime/terms.ts';
import { type BodyPlace, bodiesIn, bodyColumns } from '../calls/bodies.ts';
import { bundleBodies } from '../calls/bundles.ts';
import { type LedgerFile, openToCare, pageBytes, refuseDamaged } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-trouble.ts';
import { isFileLocked, isLookupSlot } from '../file/locks.ts';
import { statementsOn } from '../statements.ts';
import { fillTable, nothingPruned, pruneRuns, removeGoneSearches } from './prune-runs.ts';

export interface PruneOptions {
  /** Runs of each job that stay; what each job has asked for when absent. */
  readonly keepRuns: number | undefined;
  /** Runs and answers older than this go, though a job might still use the answers. */
  readonly olderThanMs: number | undefined;
  readonly isDryRun: boolean;
  readonly now: number;
}

/** How long a job uses an answer that has noted nothing, as lookups do. */
const defaultUseMs = parseDuration(defaultStaleOnFailure) ?? Number.POSITIVE_INFINITY;

/** Below this, the time to write the whole file anew is worth more than the room. */
const leastFreeShare = 0.01;

/**
 * Removes old runs and answers that no job uses any more, and makes the file smaller. What goes goes in
 * one transaction. A dry run does the same and takes it back.
 */
export function pruneLedger(given: string, options: PruneOptions) {
  using file = openToCare(given, true);
  const { db, path } = file;
  const { isDryRun } = options;
  return withTrouble(path, () => {
    // What a damaged file says about its lines may be wrong. Lines are chosen by indexes, so those are checked, too.
    refuseDamaged(db, path, 'integrity_check');
    // Of the file with its log: a run that was killed has left much of it there.
    const bytesBefore = pageBytes(db).all;
    const { all, free, ...counts } = removeOld(file, options);
    const isWorthIt = free > 0 && free >= leastFreeShare * (all - free);
    if (!isDryRun && isWorthIt) giveBack(db, path);
    const bytesAfter = isDryRun ? all - free : statSync(path).size;
    return { ledger: path, isDryRun, ...counts, bytesBefore, bytesAfter };
  });
}

function removeOld(
  { db, path }: LedgerFile,
  { isDryRun, olderThanMs, keepRuns, now }: PruneOptions,
) {
  db.exec('begin immediate');
  try {
    if (!isDryRun) refuseRunsInUse(db, path);
    const counts = { ...nothingPruned };
    const since = olderThanMs === undefined ? undefined : now - olderThanMs;
    const jobs = wishesIn(db);
    for (const { job, ...wishes } of jobs) {
      const pruned = pruneRuns(db, job, { keepRuns: keepRuns ?? wishes.keepRuns, since, now });
      for (const what of ['runs', 'rows', 'outcomes', 'searches'] as const) {
        counts[what] += pruned[what];
      }
    }
    const uses = jobs.map(({ useMs }) => useMs ?? Number.POSITIVE_INFINITY);
    const longestUseMs = jobs.length === 0 ? defaultUseMs : Math.max(...uses);
    const pruned = pruneAnswers(db, since ?? now - longestUseMs);
    const bytes = pageBytes(db);
    db.exec(isDryRun ? 'rollback' : 'commit');
    return { ...counts, ...pruned, searches: counts.searches + pruned.searches, ...bytes };
  } catch (error) {
    if (db.inTransaction) db.exec('rollback');
    throw error;
  }
}

/** Every job of the ledger, lookups included, and what it wants to be kept. */
function wishesIn(db: Database) {
  return db
    .prepare<object, { job: string; keepRuns: number; useMs: number | null }>(`
      select u.job, coalesce(w.keep_runs, :defaultKeepRuns) as keepRuns,
        iif(w.job is null, :defaultUseMs, w.use_ms) as useMs
      from (select distinct job from run) u left join retention w on w.job = u.job`)
    .all({ defaultKeepRuns, defaultUseMs });
}

/**
 * Writes the ledger anew without its free pages, and cuts the file to what it holds. SQLite does it in one
 * transaction: after a kill the ledger is as before, or as afterwards.
 */
function giveBack(db: Database, path: string): void {
  try {
    db.exec('vacuum');
  } catch (error) {
    if (!/FULL|IOERR/.test((error as { code?: string }).code ?? '')) throw error;
    throw new DossierError(
      'FILE_UNWRITABLE',
      `${path} was pruned, but its file keeps its size: to write it anew, its disk and TMPDIR need as much room again`,
      { cause: error },
    );
  }
  // Until the log is in the file, the file is as long as before. A reader may delay that to the next close.
  db.pragma('wal_checkpoint(truncate)');
}

/**
 * Refuses while a run or a lookup is at work on a ledger. Called inside a transaction: a run takes its lock
 * before it looks at the ledger, so one that starts now waits for the transaction.
 */
function refuseRunsInUse(db: Database, path: string): void {
  const [job] = jobsInUse(path);
  if (job === undefined) return;
  const newest = db
    .prepare<{ job: string }, number | null>(`select max(id) from run where job = :job`)
    .pluck()
    .get({ job });
  const run = newest ? `r${newest} of ${job}` : `a run of ${job}`;
  const what = isLookupSlot(job) ? 'a lookup' : run;
  throw new DossierError('LEDGER_IN_USE', `${what} is under way on ${path}`);
}

/** Jobs whose lock is held. */
function jobsInUse(path: string): string[] {
  const [start, end] = [`${basename(path)}.`, '.lock'];
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .map((name) => name.slice(start.length, -end.length))
    .filter((job) => job !== 'care@1')
    .filter((job) => isFileLocked(join(dirname(path), `${start}${job}${end}`)));
}

/**
 * Takes answers from before a time that no kept run refers to, with their identifiers and questions. Looks
 * through the whole ledger. Runs inside a transaction.
 */
function pruneAnswers(db: Database, before: number) {
  const searches = dropStraySearches(db);
  fillTable(db, 'gone_answer', []);
  const answers = db
    .prepare(`
      insert into temp.gone_answer
      select id from answer where fetched_at < ? and id not in (
        select answer_id from outcome where answer_id is not null
        union select answer_id from completed_call)`)
    .run(before).changes;
  if (answers > 0) {
    db.exec(`
      update call set answer_id = null where answer_id in temp.gone_answer;
      update answer set replaced_id = null where replaced_id in temp.gone_answer;
      delete from alias where answer_id in temp.gone_answer;
      delete from answer where id in temp.gone_answer;
      -- The next answer may get the id of one that is gone, and its identifiers are to be gathered.
      update alias_progress set answer_id = min(
        answer_id, (select coalesce(max(id), 0) from answer))`);
  }
  dropBundles(db);
  const calls = dropCalls(db);
  return { answers, calls, searches };
}

/** People are searched for a company that a row has found. */
function dropStraySearches(db: Database): number {
  fillTable(db, 'gone_search', []);
  db.exec(`
    insert into temp.gone_search
      select s.id from search s join run u on u.id = s.run_id and u.pruned_at is not null
      where s.company_id not in (
        select a.company_id from outcome o join answer a on a.id = o.answer_id
        where a.company_id is not null)`);
  return removeGoneSearches(db);
}

/** Drops calls that have no answer and that nothing refers to. */
function dropCalls(db: Database): number {
  return db
    .prepare(`
      delete from call where answer_id is null and id not in (
        select call_id from answer
        union select call_id from completed_call
        union select call_id from doubtful_call
        union select call_id from waiting
        union select call_id from outcome where call_id is not null)`)
    .run().changes;
}

/**
 * A bundle goes with its last answer. One of which less than half is needed is packed anew; with more, it
 * stays as it is, since packing would gain little.
 */
function dropBundles(db: Database): void {
  db.exec(`
    delete from bundle where id not in (
      select bundle_id from answer where bundle_id is not null)`);
  const sparse = db.prepare<[], BodyPlace & { readonly answerId: number }>(`
    select a.id as answerId, ${bodyColumns} from answer a
    where a.bundle_id in (
      select b.id from bundle b join (
        select bundle_id, sum(body_length) as bytes from answer group by bundle_id
      ) l on l.bundle_id = b.id
      where 2 * l.bytes < b.plain_length)
    order by a.bundle_id, a.body_start`);
  const move = db.prepare(`
    update answer set bundle_id = :bundleId, body_start = :start where id = :answerId`);
  const drop = db.prepare(`delete from bundle where id = ?`);
  const bodies = bodiesIn(statementsOn(db));
  for (const [bundleId, places] of Map.groupBy(sparse.all(), (place) => place.bundleId)) {
    const whole = places.flatMap((place) => {
      const body = bodies.read(place);
      return body ? [Buffer.from(body)] : [];
    });
    // A damaged one stays for a backup to mend.
    if (whole.length < places.length) continue;
    for (const [index, packed] of bundleBodies(whole).entries()) {
      move.run({ ...bodies.put(packed), answerId: places[index]?.answerId });
    }
    drop.run(bundleId);
  }
}
