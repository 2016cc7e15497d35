import type { Database } from 'better-sqlite3';
import type { IdentifierKind } from '../../../core/contract/identifier-kinds.ts';
import {
  type PeopleTerms,
  type SearchFilters,
  searchIndex,
} from '../../../core/rules/people-search.ts';
import { unpackRowIds } from '../rows/lists.ts';
import type { Statements } from '../statements.ts';
import type { Run } from './runs.ts';

export interface OpenSearches extends SearchFilters {
  readonly received: number;
  readonly companies: number;
}

/** Known answers, by what they are. */
export interface PlannedAnswers {
  companies: number;
  misses: number;
  peoplePages: number;
}

/** From earlier runs of the job. Other lists and other people searches are no guide. */
export interface JobHistory {
  readonly hitRate: number | undefined;
  readonly hitRates: ReadonlyMap<number | null, number>;
  readonly pagesPerCompany?: number;
  /** The share of pages that had people. */
  readonly filledPages?: number | undefined;
}

/** So many answers of a run are enough for its rates. */
const mostRead = 50_000;

/** `rows`, `duplicates` and `copyRun` are for the scratch ledger of a plan, which has one run. */
export function planningIn({ db, get, all, value }: Statements) {
  const asks = `candidates <> '[]'`;
  const kinds = all<{ kind: IdentifierKind; rows: number }>(`
    select candidates ->> '$[0][0]' as kind, count(*) as rows from row
    where ${asks} group by 1 order by 2 desc, 1`);
  const reasons = all<{ reason: string; rows: number }>(`
    select o.reason, count(*) as rows from row r join outcome o on o.row_id = r.id
    where not ${asks} group by 1 order by 2 desc, 1`);
  const duplicates = value<number>(`
    select count(*) - count(distinct country || (candidates ->> '$[0]')) from row where ${asks}`);
  const answered = get<PlannedAnswers, []>(`
    select
      count(*) filter (where d.search_id is null and a.outcome = 'hit') as companies,
      count(*) filter (where d.search_id is null and a.outcome <> 'hit') as misses,
      count(d.search_id) as peoplePages
    from completed_call d join answer a on a.id = d.answer_id where a.outcome <> 'failed'`);
  const countOpenRows = get<{ rows: number; distinct: number; calls: number }>(`
    select count(*) as rows, count(distinct r.country || r.candidates) as "distinct",
      count(distinct w.call_id) filter (where w.has_missed = 0) as calls
    from waiting w cross join row r on r.id = w.row_id
    where w.run_id = ? and w.search_id is null`);
  const completed = `cast(coalesce(counts ->> '$.calls.made', 0) as integer)
    + coalesce(counts ->> '$.calls.reused', 0) + coalesce(counts ->> '$.calls.joined', 0)`;
  const fullest = value<number | undefined, [job: string, hasPeople: 0 | 1]>(`
    select r.id from run r join progress p on p.run_id = r.id
    where r.job = ? and r.has_people >= ? and r.state <> 'ingesting' and r.pruned_at is null
    order by ${completed} desc, r.id desc limit 1`);
  const lookups = all<{ serviceId: number | null; all: number; hits: number }, [runId: number]>(`
    select c.service_id as serviceId, count(*) as "all",
      count(*) filter (where a.outcome = 'hit') as hits
    from (select call_id, answer_id from completed_call where run_id = ? and search_id is null
          limit ${mostRead}) d
    cross join answer a on a.id = d.answer_id and a.outcome <> 'failed'
    cross join call c on c.id = d.call_id group by 1`);
  // A run that was stopped has companies whose next search is open.
  const pages = get<
    { pages: number; searches: number | null; pagesOfDone: number; companies: number },
    [runId: number]
  >(`
    select sum(pages) as pages, sum(searches) as searches,
      sum(pages) filter (where not hasOpen) as pagesOfDone,
      count(*) filter (where not hasOpen) as companies
    from (
      select sum(pages) filter (where not isOpen) as pages,
        count(*) filter (where not isOpen) as searches, max(isOpen) as hasOpen
      from (
        select company_id, country, service_id, state = 'open' as isOpen,
          (select count(*) from completed_call d where d.search_id = s.id) as pages
        from search s where run_id = ? limit ${mostRead})
      group by company_id, country, service_id)`);
  const searched = all<SearchFilters, [runId: number]>(`
    select distinct seniority, department, position
    from (select * from search where run_id = ? limit ${mostRead})`);
  const filledPages = value<number | null, [job: string]>(`
    select cast(sum(s.hits) as real) / nullif(sum(s.hits + s.misses), 0)
    from run r cross join spend s on s.run_id = r.id and s.run_id > 0
    where r.job = ? and s.operation = 'people'`);
  const peopleHistory = (job: string, people: PeopleTerms) => {
    const runId = fullest(job, 1) ?? 0;
    const made = searched(runId);
    const own = pages(runId);
    const { length } = people.searches;
    const isOther = made.some((one) => searchIndex(people, one) === -1);
    if (!own?.searches || isOther) return {};
    const isWhole = own.companies > 0;
    if (isWhole && made.length < length) return {};
    return {
      pagesPerCompany: isWhole
        ? own.pagesOfDone / own.companies
        : (own.pages / own.searches) * length,
      filledPages: filledPages(job) ?? undefined,
    };
  };
  return {
    /** How the run of the job went that completed the most calls. */
    history(job: string, people: PeopleTerms | undefined): JobHistory {
      const ofServices = lookups(fullest(job, 0) ?? 0);
      const answered = ofServices.reduce((sum, one) => sum + one.all, 0);
      const hits = ofServices.reduce((sum, one) => sum + one.hits, 0);
      return {
        hitRate: answered > 0 ? hits / answered : undefined,
        hitRates: new Map(ofServices.map((one) => [one.serviceId, one.hits / one.all])),
        ...(people && peopleHistory(job, people)),
      };
    },
    copyRun: (path: string, run: Run) => copyRun(db, path, run),
    /** Of the run that would be resumed. */
    answered: () => answered() ?? { companies: 0, misses: 0, peoplePages: 0 },
    rows: () => ({
      kinds: kinds(),
      reasons: reasons(),
      duplicates: duplicates(),
    }),
    /** `distinct` counts equal rows once, because they find the same company. */
    countOpenRows: (runId: number) => countOpenRows(runId) ?? { rows: 0, distinct: 0, calls: 0 },
    listOpenSearches: all<OpenSearches, [runId: number]>(`
      select s.seniority, s.department, s.position, count(*) as companies,
        (select sum(o.received) from search o
         where o.run_id = s.run_id and o.company_id = s.company_id and o.country = s.country
           and o.service_id is s.service_id
        ) as received
      from search s where s.run_id = ? and s.state = 'open'
      group by 1, 2, 3, 5`),
  };
}

/** Only into an empty ledger: in a used one, the copied call ids may mean other calls. */
function copyRun(db: Database, path: string, { id: runId, listId }: Run) {
  db.prepare(`attach ? as past`).run(path);
  const copyAll = (tables: Readonly<Record<string, string>>, params: object) => {
    for (const [table, which] of Object.entries(tables)) {
      db.prepare(`insert into main.${table} select * from past.${table} where ${which}`).run(
        params,
      );
    }
  };
  try {
    db.transaction(() => {
      copyAll(copiedOfRun, { runId });
      const blocks = db.prepare<[number], Buffer>(
        `select row_ids from past.list_block where list_id = ?`,
      );
      for (const packed of blocks.pluck().all(listId)) {
        copyAll(copiedOfBlock, { runId, rowIds: JSON.stringify(unpackRowIds(packed)) });
      }
    })();
  } finally {
    db.exec(`detach past`);
  }
}

const ofRun = `run_id = :runId`;

/** The rows to copy. Only open searches still need the people they have found (`found`). */
const copiedOfRun = {
  run: `id = :runId`,
  service: 'true',
  progress: ofRun,
  waiting: ofRun,
  completed_call: ofRun,
  search: ofRun,
  call: `id in (
    select call_id from past.waiting where ${ofRun}
    union all select call_id from past.completed_call where ${ofRun})`,
  answer: `id in (select answer_id from past.completed_call where ${ofRun})`,
  found: `search_id in (select id from past.search where ${ofRun} and state = 'open')`,
};

const copiedOfBlock = {
  row: `id in (select value from json_each(:rowIds))`,
  outcome: `(row_id, run_id) in (
    select row_id, max(run_id) from past.outcome
    where row_id in (select value from json_each(:rowIds)) and run_id <= :runId
    group by row_id)`,
};
