import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { defaultKeepRuns, defaultStaleOnFailure } from '../../runtime/terms.ts';
import { bodiesIn } from '../calls/bodies.ts';
import { type Bundle, bodyIn, bundleBodies, unpackBundle } from '../calls/bundles.ts';
import { type LedgerFile, openToWrite } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-trouble.ts';
import { isFileLocked, isLookupSlot } from '../file/locks.ts';
import { statementsOn } from '../statements.ts';
import { nothingPruned, pruneRuns, removeGoneSearches } from './prune-runs.ts';

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
    const counts = { ...nothingPruned };
    const { now, olderThanMs } = options;
    const since = olderThanMs === undefined ? undefined : now - olderThanMs;
    for (const { job, keepRuns } of jobsIn(db)) {
      const pruned = pruneRuns(db, job, { keepRuns: options.keepRuns ?? keepRuns, since, now });
      for (const what of ['runs', 'rows', 'outcomes', 'searches'] as const) {
        counts[what] += pruned[what];
      }
    }
    const pruned = pruneAnswers(db, since ?? now - longestUseMs(db));
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

/** Bytes of the pages of a ledger that hold something, and of those that are free. */
function pageBytes(db: Database) {
  const pragma = (name: string) => Number(db.pragma(name, { simple: true }));
  const free = pragma('freelist_count') * pragma('page_size');
  return { used: pragma('page_count') * pragma('page_size') - free, free };
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
      'LEDGER_NO_ROOM',
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
  db.exec(`
    create temp table used_answer (id integer primary key);
    insert or ignore into temp.used_answer
      select answer_id from outcome where answer_id is not null
      union all select answer_id from completed_call;
    create temp table gone_answer (id integer primary key)`);
  const answers = db
    .prepare<{ before: number }>(`
      insert into temp.gone_answer
      select id from answer where fetched_at < :before and id not in temp.used_answer`)
    .run({ before }).changes;
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
  db.exec(`drop table temp.used_answer; drop table temp.gone_answer`);
  return { answers, calls, searches };
}

/** People are searched for a company that a row has found. */
function dropStraySearches(db: Database): number {
  db.exec(`
    create temp table if not exists gone_search (id integer primary key);
    delete from temp.gone_search;
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
    create temp table live_bundle as
      select bundle_id as id, sum(body_length) as bytes from answer
      where bundle_id is not null group by bundle_id;
    create unique index temp.live_bundle_id on live_bundle (id);
    delete from bundle where id not in (select id from temp.live_bundle)`);
  const sparse = db.prepare<{ after: number }, Bundle & { readonly id: number }>(`
    select b.id, b.encoding, b.plain_length as plainLength, b.bytes
    from temp.live_bundle l cross join bundle b on b.id = l.id
    where b.id > :after and 2 * l.bytes < b.plain_length order by b.id limit 1`);
  // Answers have no index by their bundle.
  db.exec(`
    create temp table live_body as
      select bundle_id, id as answer_id, body_start, body_length, checksum from answer
      where bundle_id is not null;
    create index temp.live_body_bundle on live_body (bundle_id)`);
  const live = db.prepare<
    { id: number },
    Parameters<typeof bodyIn>[1] & { readonly answerId: number }
  >(`
    select answer_id as answerId, body_start as start, body_length as length, checksum
    from temp.live_body where bundle_id = :id order by body_start`);
  const move = db.prepare(`
    update answer set bundle_id = :bundleId, body_start = :start where id = :answerId`);
  const drop = db.prepare(`delete from bundle where id = :id`);
  const bodies = bodiesIn(statementsOn(db));
  for (let bundle = sparse.get({ after: 0 }); bundle; bundle = sparse.get({ after: bundle.id })) {
    const places = live.all({ id: bundle.id });
    const plain = unpackBundle(bundle);
    const found = places.map((place) => plain && bodyIn(plain, place));
    const whole = found.filter((body) => body !== null);
    // A damaged one stays for a backup to mend.
    if (whole.length < found.length) continue;
    const packed = bundleBodies(whole);
    for (const [index, place] of places.entries()) {
      const { bundleId, start } = bodies.put(packed[index] ?? null);
      move.run({ answerId: place.answerId, bundleId, start });
    }
    drop.run({ id: bundle.id });
  }
  db.exec(`drop table temp.live_bundle; drop table temp.live_body`);
}
