import type { Database } from 'better-sqlite3';
import { IdSet } from '../../runtime/id-set.ts';
import { type Lists, listsIn } from '../rows/lists.ts';
import { comparableWith, isPublished, type Run, runsIn } from '../runs/runs.ts';
import { type Statements, statementsOn } from '../statements.ts';

export const nothingPruned = { runs: 0, rows: 0, outcomes: 0, searches: 0 };

/** What a job has asked to be kept. */
export interface Wishes {
  readonly keepRuns: number;
  /** How old an answer may be that the job still uses; Infinity where age does not matter. */
  readonly useMs: number;
}

/** Notes what a job wants to be kept, and prunes its old runs. Runs inside a transaction. */
export function retentionIn({ db, run }: Statements) {
  const note = run<[job: string, keepRuns: number, useMs: number | null]>(
    `insert or replace into retention (job, keep_runs, use_ms) values (?, ?, ?)`,
  );
  return {
    keep(job: string, { keepRuns, useMs }: Wishes, now: number) {
      note(job, keepRuns, Number.isFinite(useMs) ? useMs : null);
      return pruneRuns(db, job, { keepRuns, now });
    },
  };
}

/**
 * Takes what only old runs of a job need: lists and rows that no later list holds, outcomes and searches that
 * no kept run shows, calls that they completed. A run itself stays as a line of history. What it costs
 * follows what changed in those runs, and not the size of the list. Runs inside a transaction.
 */
export function pruneRuns(
  db: Database,
  job: string,
  { keepRuns, since = 0, now }: { keepRuns: number; since?: number | undefined; now: number },
): typeof nothingPruned {
  const all = runsIn(statementsOn(db)).list(job);
  const runs = all.filter(({ prunedAt }) => prunedAt === null);
  const kept = runsToKeep(runs, keepRuns, since);
  const gone = runs.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  if (gone.length === 0) return nothingPruned;

  fillTable(db, 'kept_run', [...kept]);
  fillTable(db, 'gone_run', gone);
  db.prepare(`update run set pruned_at = ? where id in temp.gone_run`).run(now);
  const rows = dropRows(db, job);
  // Only rows and companies with something new between these runs have something that nobody needs.
  const until = Math.min(...[...kept].filter((id) => id > Math.max(...gone)));
  const span = { job, from: Math.min(...gone), until };
  const outcomes = dropOutcomes(db, span);
  const searches = dropSearches(db, span);
  for (const table of ['waiting', 'lease', 'doubtful_call']) {
    db.exec(`delete from ${table} where run_id in temp.gone_run`);
  }
  // Pages of people are read by their search, which a later run may show.
  db.exec(`
    delete from completed_call
    where run_id in temp.gone_run
      and not exists (select 1 from search s where s.id = completed_call.search_id)`);
  return { runs: gone.length, rows, outcomes, searches };
}

/**
 * Which runs of a job stay, of all that have not been pruned, newest first. The newest one may be resumed, the
 * last finished one may be held, and against the last published one changes are told, be it of any list or of
 * the job's own: they stay in any case. The base of a run that stays is needed to write its changes again, so it
 * stays, too, unless it began too early.
 */
function runsToKeep(runs: readonly Run[], keepRuns: number, since: number): Set<number> {
  const isYoung = ({ startedAt }: Run) => startedAt >= since;
  const recent = runs.slice(0, keepRuns).filter(isYoung);
  const finished = runs.filter(({ state, rowLimit }) => state === 'finished' && rowLimit === null);
  const published = runs.filter(isPublished);
  const ofOwnList = published.find(({ inputPath }) => inputPath === runs[0]?.list);
  const needed = [runs[0], finished[0], published[0], ofOwnList].filter((run) => run !== undefined);
  const kept = [...recent, ...needed];
  const bases = kept.flatMap((run) => comparableWith(run, published)[0] ?? []);
  return new Set([...kept, ...bases.filter(isYoung)].map(({ id }) => id));
}

/** Fills a table of ids that only this connection sees. */
export function fillTable(db: Database, name: string, ids: readonly number[]): void {
  db.exec(`
    create temp table if not exists ${name} (id integer primary key);
    delete from temp.${name}`);
  db.prepare(`insert into temp.${name} select value from json_each(?)`).run(JSON.stringify(ids));
}

/** Drops lists that only runs which are gone have read, and the rows that are in no other. */
function dropRows(db: Database, job: string): number {
  const lists = listsIn(statementsOn(db));
  const listsOf = (which: string) =>
    db
      .prepare<{ job: string }, number>(
        `select distinct list_id from run where job = :job and ${which}`,
      )
      .pluck()
      .all({ job });
  const keptLists = listsOf('pruned_at is null');
  // Lists without a row are one list, which runs of all jobs share.
  const goneLists = listsOf(`id in temp.gone_run
    and list_id not in (select list_id from run where pruned_at is null)`);
  const rowIds = idsOnlyIn(lists, goneLists, keptLists);
  fillTable(db, 'gone_row', rowIds);
  for (const [table, column] of [
    ['outcome', 'row_id'],
    ['waiting', 'row_id'],
    ['row', 'id'],
  ]) {
    db.exec(`delete from ${table} where ${column} in temp.gone_row`);
  }
  for (const id of goneLists) lists.drop(id);
  return rowIds.length;
}

/** Rows of some lists that are in none of the others. */
function idsOnlyIn(lists: Lists, some: readonly number[], others: readonly number[]): number[] {
  if (some.length === 0) return [];
  const seen = new IdSet();
  for (const list of others) {
    for (const { rowIds } of lists.blocks(list)) for (const id of rowIds) seen.add(id);
  }
  const found: number[] = [];
  for (const list of some) {
    for (const { rowIds } of lists.blocks(list)) {
      for (const id of rowIds) if (seen.add(id)) found.push(id);
    }
  }
  return found;
}

/** Runs of a job, from one to another. */
interface Span {
  readonly job: string;
  readonly from: number;
  readonly until: number;
}

const runsOfSpan = `select id from run where job = :job and id between :from and :until`;

/** Whether a kept run is among those from one on and before another; without another, from one on. */
const isShown = (from: string, before: string) => `exists (
  select 1 from temp.kept_run k where k.id >= ${from} and (${before} is null or k.id < ${before}))`;

/** The outcome of a row in a run is its last one up to it, so one goes when no kept run lies before the next. */
function dropOutcomes(db: Database, span: Span): number {
  return db
    .prepare<Span>(`
      delete from outcome where (row_id, run_id) in (
        select row_id, run_id from (
          select o.row_id, o.run_id, (
            select min(n.run_id) from outcome n
            where n.row_id = o.row_id and n.run_id > o.run_id) as next_run
          from (
            select distinct c.row_id from outcome c where c.run_id in (${runsOfSpan})
          ) r cross join outcome o on o.row_id = r.row_id)
        where not ${isShown('run_id', 'next_run')})`)
    .run(span).changes;
}

/** So it is with the searches of a company; those that have ended are shown until others have. */
function dropSearches(db: Database, span: Span): number {
  fillTable(db, 'gone_search', []);
  db.prepare<Span>(`
    insert into temp.gone_search
    with
      company as (
        select distinct company_id, country from search where run_id in (${runsOfSpan})),
      made as (
        select s.company_id, s.country, s.run_id, min(s.state = 'ended') as have_ended
        from company c join search s on s.company_id = c.company_id and s.country = c.country
        join run u on u.id = s.run_id and u.job = :job
        group by s.company_id, s.country, s.run_id),
      followed as (
        select *,
          min(iif(have_ended, run_id, null)) over later as next_ended,
          min(run_id) over later as next_run
        from made window later as (
          partition by company_id, country order by run_id
          rows between 1 following and unbounded following))
    select s.id from followed f
    join search s on s.company_id = f.company_id and s.country = f.country and s.run_id = f.run_id
    where not ${isShown('f.run_id', 'iif(f.have_ended, f.next_ended, f.next_run)')}`).run(span);
  return removeGoneSearches(db);
}

/** Removes the searches in `temp.gone_search` with all that belongs to them. */
export function removeGoneSearches(db: Database): number {
  db.exec(`
    delete from found where search_id in temp.gone_search;
    delete from completed_call where search_id in temp.gone_search`);
  return db.prepare(`delete from search where id in temp.gone_search`).run().changes;
}
