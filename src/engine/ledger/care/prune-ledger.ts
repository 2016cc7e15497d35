import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { expiredOutcome } from '../../../core/rules/row-outcome.ts';
import type { Exclusions } from '../../../core/rules/suppression.ts';
import { defaultKeepRuns, defaultStaleOnFailure } from '../../../core/values/defaults.ts';
import { parseDuration } from '../../../core/values/duration.ts';
import { IdSet } from '../../../core/values/id-set.ts';
import { isPeople } from '../calls/call-key.ts';
import { openForMaintenance, pageBytes, refuseDamaged } from '../file/ledger-file.ts';
import { withLedgerErrors } from '../file/ledger-path.ts';
import { isJobLocked, lockNames, maintenanceLock } from '../file/locks.ts';
import { listsIn } from '../rows/lists.ts';
import { countedAt } from '../runs/clock.ts';
import {
  comparableWith,
  isFinishedWhole,
  isPublished,
  type Run,
  runName,
  runsIn,
} from '../runs/runs.ts';
import { type Statements, statementsOn } from '../statements.ts';
import {
  dropAnswers,
  dropSearches,
  eraseAnswers,
  fillTempTable,
  fillWithIds,
} from './erase-answers.ts';

export interface PruneOptions {
  readonly keepRuns: number | undefined;
  /** Removes even answers that a job might still reuse. */
  readonly olderThanMs: number | undefined;
  readonly isDryRun: boolean;
  readonly now: number;
}

export const nothingPruned = { runs: 0, rows: 0, outcomes: 0, searches: 0 };

export interface Wishes {
  readonly keepRuns: number;
  /** How long the job may use an answer. */
  readonly useMs: number;
}

const defaultUseMs = parseDuration(defaultStaleOnFailure) ?? Number.POSITIVE_INFINITY;

/** With less free space, rewriting the file is not worth it. */
const leastFreeShare = 0.01;

/** Call inside a transaction. */
export function retentionIn({ db, change }: Statements) {
  const note = change(`
    insert into retention (job, keep_runs, use_ms) values (?, ?, ?)
    on conflict (job) do update set keep_runs = excluded.keep_runs, use_ms = excluded.use_ms`);
  return (job: string, { keepRuns, useMs }: Wishes, now: number) => {
    note(job, keepRuns, Number.isFinite(useMs) ? useMs : null);
    return pruneRuns(db, job, { keepRuns, now });
  };
}

const weekMs = 7 * 24 * 3_600_000;

/** Erases expired answers at most once a week. Call inside a transaction. */
export function expiryIn({ db, change, value }: Statements) {
  const erasedAt = value<number | null | undefined>(
    `select erased_at from retention where job = ?`,
  );
  const note = change(`update retention set erased_at = ? where job = ?`);
  return (job: string, { companiesMs, peopleMs }: Exclusions, now: number): void => {
    const isKept = Math.min(companiesMs, peopleMs) === Number.POSITIVE_INFINITY;
    const erasedMs = now - (erasedAt(job) ?? 0);
    // Less than zero if the clock was ahead at the last time.
    if (isKept || (erasedMs >= 0 && erasedMs < weekMs)) return;
    const since = { companies: now - companiesMs, people: now - peopleMs };
    if (fillTempTable(db, 'gone_answer', expiredAnswers, { job, now, ...since }) > 0) {
      eraseAnswers(db, expiredOutcome);
    }
    note(now, job);
  };
}

/** Skips answers that other jobs use and may keep longer. */
const expiredAnswers = `
  select a.id from answer a join call c on c.id = a.call_id
  where a.outcome = 'hit'
    and ${countedAt} < iif(${isPeople('c.text')}, :people, :companies)
    and a.id not in (
      select o.answer_id from outcome o join run u on u.id = o.run_id
      where u.job <> :job and u.kind <> 'lookup' and o.answer_id is not null
      union select t.answer_id from completed_call t join run u on u.id = t.run_id
      where u.job <> :job and u.kind <> 'lookup')`;

export function pruneLedger(given: string, options: PruneOptions) {
  using file = openForMaintenance(given, true);
  const { db, path } = file;
  const { isDryRun } = options;
  return withLedgerErrors(path, () => {
    // Rows are selected by index, so check the indexes too.
    refuseDamaged(db, path, 'integrity_check');
    // Not the file size, because a killed run may have left many pages in the log.
    const bytesBefore = pageBytes(db).all;
    db.exec('begin immediate');
    try {
      if (!isDryRun) refuseRunsInUse(db, path);
      const counts = removeOld(db, options);
      const { all, free } = pageBytes(db);
      db.exec(isDryRun ? 'rollback' : 'commit');
      const isWorthIt = free > 0 && free >= leastFreeShare * (all - free);
      if (!isDryRun && isWorthIt) giveBack(db, path);
      const bytesAfter = isDryRun ? all - free : statSync(path).size;
      return { ledger: path, isDryRun, ...counts, bytesBefore, bytesAfter };
    } finally {
      if (db.inTransaction) db.exec('rollback');
    }
  });
}

/** Call inside a transaction. */
function removeOld(db: Database, { olderThanMs, keepRuns, now }: PruneOptions) {
  const counts = { ...nothingPruned };
  const since = olderThanMs === undefined ? undefined : now - olderThanMs;
  const jobs = db
    .prepare<object, { job: string; keepRuns: number; useMs: number | null }>(`
      select u.job, coalesce(w.keep_runs, :defaultKeepRuns) as keepRuns,
        iif(w.job is null, :defaultUseMs, w.use_ms) as useMs
      from (select distinct job from run) u left join retention w on w.job = u.job`)
    .all({ defaultKeepRuns, defaultUseMs });
  for (const { job, ...wishes } of jobs) {
    const pruned = pruneRuns(db, job, { keepRuns: keepRuns ?? wishes.keepRuns, since, now });
    for (const what of ['runs', 'rows', 'outcomes', 'searches'] as const) {
      counts[what] += pruned[what];
    }
  }
  const uses = jobs.map(({ useMs }) => useMs ?? Number.POSITIVE_INFINITY);
  const longestUseMs = jobs.length === 0 ? defaultUseMs : Math.max(...uses);
  counts.searches += dropSearches(
    db,
    `select s.id from search s join run u on u.id = s.run_id and u.pruned_at is not null
     where s.company_id not in (
       select a.company_id from outcome o join answer a on a.id = o.answer_id
       where a.company_id is not null)`,
  );
  const answers = fillTempTable(
    db,
    'gone_answer',
    `select a.id from answer a where ${countedAt} < :before and a.id not in (
       select answer_id from outcome where answer_id is not null
       union select answer_id from completed_call)`,
    { before: since ?? now - longestUseMs, now },
  );
  // Repacking bundles that are at least half in use would save little.
  const calls = dropAnswers(db, '2 * coalesce(l.bytes, 0) < b.plain_length');
  return { ...counts, answers, calls };
}

/**
 * VACUUM is one transaction, so a kill leaves either the old or the new file. Returns false if
 * another program is reading the log, which then keeps its data.
 */
export function giveBack(db: Database, path: string): boolean {
  try {
    db.exec('vacuum');
  } catch (error) {
    if (!/FULL|IOERR/.test((error as { code?: string }).code ?? '')) throw error;
    throw new DossierError(
      'FILE_UNWRITABLE',
      `data was deleted from ${path}, but the file did not shrink. Rewriting it needs as much free space as the file, both on its disk and in TMPDIR`,
      { cause: error },
    );
  }
  // The file shrinks only when the log is moved into it.
  return db.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
}

/** Call inside a transaction, so a run that starts now waits. */
export function refuseRunsInUse(db: Database, path: string, own: readonly string[] = []): void {
  const job = lockNames(path).find(
    (name) => name !== maintenanceLock && !own.includes(name) && isJobLocked(path, name),
  );
  if (job === undefined) return;
  const [newest] = runsIn(statementsOn(db)).list(job);
  const run = `${newest ? runName(newest) : 'a run'} of ${job}`;
  const what = newest?.kind === 'lookup' ? 'a lookup' : run;
  throw new DossierError('JOB_BUSY', `${what} is using ${path}`);
}

/** The runs themselves stay in the history. Call inside a transaction. */
function pruneRuns(
  db: Database,
  job: string,
  { keepRuns, since = 0, now }: { keepRuns: number; since?: number | undefined; now: number },
): typeof nothingPruned {
  const all = runsIn(statementsOn(db)).list(job);
  const runs = all.filter(({ prunedAt }) => prunedAt === null);
  const kept = runsToKeep(runs, keepRuns, since);
  const gone = runs.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  if (gone.length === 0) return nothingPruned;

  fillWithIds(db, 'kept_run', [...kept]);
  fillWithIds(db, 'gone_run', gone);
  db.prepare(`update run set pruned_at = ? where id in temp.gone_run`).run(now);
  const rows = dropRows(db, job);
  // Only a row or company that changed in this span can have an outcome or search that no kept run
  // shows, so the deletes skip all others.
  const until = Math.min(...[...kept].filter((id) => id > Math.max(...gone)));
  const span = { job, from: Math.min(...gone), until };
  const outcomes = db.prepare(goneOutcomes).run(span).changes;
  const searches = dropSearches(db, goneSearches, span);
  for (const table of ['waiting', 'lease', 'possibly_charged_call']) {
    db.exec(`delete from ${table} where run_id in temp.gone_run`);
  }
  // Keeps the pages of searches that still exist, because a later run may read them.
  db.exec(`
    delete from completed_call
    where run_id in temp.gone_run
      and not exists (select 1 from search s where s.id = completed_call.search_id)`);
  return { runs: gone.length, rows, outcomes, searches };
}

/** Always needed: the newest to resume, the last finished to accept, the published to compare. */
function runsToKeep(runs: readonly Run[], keepRuns: number, since: number): Set<number> {
  const isYoung = ({ startedAt }: Run) => startedAt >= since;
  const recent = runs.slice(0, keepRuns).filter(isYoung);
  const published = runs.filter(isPublished);
  const ofOwnList = published.find(({ inputPath }) => inputPath === runs[0]?.list);
  const needed = [runs[0], runs.find(isFinishedWhole), published[0], ofOwnList];
  const kept = [...recent, ...needed.filter((run) => run !== undefined)];
  const bases = kept.flatMap((run) => comparableWith(run, published)[0] ?? []);
  return new Set([...kept, ...bases.filter(isYoung)].map(({ id }) => id));
}

function dropRows(db: Database, job: string) {
  const lists = listsIn(statementsOn(db));
  const listsOf = (which: string) =>
    db
      .prepare<[string], number>(`select distinct list_id from run where job = ? and ${which}`)
      .pluck()
      .all(job);
  // Checks the runs of all jobs, because all empty lists are one shared list.
  const goneLists = listsOf(`id in temp.gone_run
    and list_id not in (select list_id from run where pruned_at is null)`);
  if (goneLists.length === 0) return 0;
  const seen = new IdSet();
  const rowIds: number[] = [];
  const visit = (some: readonly number[], note: (id: number) => void) => {
    for (const list of some) for (const block of lists.blocks(list)) block.rowIds.forEach(note);
  };
  visit(listsOf('pruned_at is null'), (id) => void seen.add(id));
  visit(goneLists, (id) => {
    if (seen.add(id)) rowIds.push(id);
  });
  fillWithIds(db, 'gone_row', rowIds);
  db.exec(`
    delete from outcome where row_id in temp.gone_row;
    delete from waiting where row_id in temp.gone_row;
    delete from row where id in temp.gone_row`);
  for (const id of goneLists) lists.drop(id);
  return rowIds.length;
}

const runsOfSpan = `select id from run where job = :job and id between :from and :until`;

/** Some kept run is in [from, before). */
const isShown = (from: string, before: string) => `exists (
  select 1 from temp.kept_run k where k.id >= ${from} and (${before} is null or k.id < ${before}))`;

/** Outcomes that no kept run shows: a run shows the last outcome of each row up to that run. */
const goneOutcomes = `
  delete from outcome where (row_id, run_id) in (
    select row_id, run_id from (
      select o.row_id, o.run_id, (
        select min(n.run_id) from outcome n
        where n.row_id = o.row_id and n.run_id > o.run_id) as next_run
      from (
        select distinct c.row_id from outcome c where c.run_id in (${runsOfSpan})
      ) r cross join outcome o on o.row_id = r.row_id)
    where not ${isShown('run_id', 'next_run')})`;

/** Searches that no kept run uses. A run uses the last search of a company that has ended. */
const goneSearches = `
  with
    company as (
      select distinct company_id, country, service_id from search where run_id in (${runsOfSpan})),
    made as (
      select s.company_id, s.country, s.service_id, s.run_id, min(s.state = 'ended') as have_ended
      from company c join search s on s.company_id = c.company_id and s.country = c.country
        and s.service_id is c.service_id
      join run u on u.id = s.run_id and u.job = :job
      group by s.company_id, s.country, s.service_id, s.run_id),
    followed as (
      select *,
        min(iif(have_ended, run_id, null)) over later as next_ended,
        min(run_id) over later as next_run
      from made window later as (
        partition by company_id, country, service_id order by run_id
        rows between 1 following and unbounded following))
  select s.id from followed f
  join search s on s.company_id = f.company_id and s.country = f.country and s.run_id = f.run_id
    and s.service_id is f.service_id
  where not ${isShown('f.run_id', 'iif(f.have_ended, f.next_ended, f.next_run)')}`;
