import type { Database } from 'better-sqlite3';
import type { SearchEnd, SearchSoFar } from '../../rules/people-search.ts';

export interface Search extends SearchSoFar {
  readonly id: number;
  readonly runId: number;
  /** The most people that a page has told of; null where none did. */
  readonly total: number | null;
}

export type NewSearch = Omit<Search, 'id' | 'received' | 'total'>;

/** A search of an earlier run, as far as it came. */
interface EarlierSearch {
  readonly id: number;
  readonly runId: number;
  readonly state: 'open' | 'ended' | 'failed';
  readonly received: number;
  readonly isComplete: 0 | 1 | null;
}

/** A page of people and the answer that brought it. */
interface SearchPage {
  readonly searchId: number;
  readonly callId: number;
  readonly request: string;
  readonly answerId: number;
}

interface SearchCounts {
  readonly open: number;
  readonly ended: number;
  readonly failed: number;
  /** Searches that ended and may not have brought everybody. */
  readonly incomplete: number;
  readonly people: number;
}

/** A page of people as a search sees it. */
interface FoundPage {
  readonly personIds: readonly string[];
  readonly total: number | undefined;
}

type CompanyOfRun = Pick<Search, 'runId' | 'companyId' | 'country'>;

/** The last run of :job, up to :runId, that has searched for the people of a company. */
export const lastSearched = (companyId = ':companyId', country = ':country') => `(
  select max(l.run_id) from search l join run u on u.id = l.run_id and u.job = :job
  where l.company_id = ${companyId} and l.country = ${country} and l.run_id <= :runId)`;

export function searchesIn(db: Database) {
  type OfSearch = { searchId: number };
  const insert = db.prepare<NewSearch>(`
    insert into search (run_id, company_id, country, seniority, department, position)
    values (:runId, :companyId, :country, :seniority, :department, :position)
    on conflict do nothing`);
  const select = db.prepare<OfSearch, Search>(`
    select id, run_id as runId, company_id as companyId, country, seniority, department,
      position, received, total
    from search where id = :searchId`);
  const receive = db.prepare(`
    update search
    set received = received + :received, total = max(coalesce(total, :total), coalesce(:total, total))
    where id = :searchId`);
  const addFound = db.prepare(`
    insert into found (search_id, person_id) select :searchId, value from json_each(:personIds)
    where true on conflict do nothing`);
  const foundBy = db
    .prepare<OfSearch, number>(`select count(*) from found where search_id = :searchId`)
    .pluck();
  const end = db.prepare(`
    update search set state = :state, ended_by = :endedBy, is_complete = :isComplete
    where id = :searchId`);
  // The people are in the answers; `found` only tells when a page brings no new person.
  const forgetFound = db.prepare(`delete from found where search_id = :searchId`);
  const receivedFor = db
    .prepare<CompanyOfRun, number>(`
      select sum(received) from search
      where run_id = :runId and company_id = :companyId and country = :country`)
    .pluck();
  const counts = db.prepare<{ runId: number }, SearchCounts>(`
    select
      count(*) filter (where state = 'open') as open,
      count(*) filter (where state = 'ended') as ended,
      count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'ended' and is_complete = 0) as incomplete,
      coalesce(sum(received), 0) as people
    from search where run_id = :runId`);
  // The plus keeps SQLite from going through all searches of a run in the order of their ids.
  const ofCompany = db.prepare<object, EarlierSearch>(`
    select id, run_id as runId, state, received, is_complete as isComplete from search
    where company_id = :companyId and country = :country and run_id = ${lastSearched()}
    order by +id`);
  const pages = db.prepare<OfSearch, SearchPage>(`
    select d.search_id as searchId, d.call_id as callId, c.request, d.answer_id as answerId
    from completed_call d join call c on c.id = d.call_id
    where d.search_id = :searchId order by d.page`);
  const hasAny = db.prepare(
    `select 1 from search where run_id > :after and run_id <= :upTo limit 1`,
  );
  const setChangedRuns = db.prepare(`
    update search set changed_runs = :changedRuns where id = (
      select min(id) from search
      where company_id = :companyId and country = :country and run_id = :runId)`);
  const get = (searchId: number) => select.get({ searchId }) as Search;
  return {
    /** Undefined when the run has this search already. */
    open(search: NewSearch) {
      const { changes, lastInsertRowid } = insert.run(search);
      return changes === 0 ? undefined : get(Number(lastInsertRowid));
    },
    get,
    /** Notes who was on a page; says how many of them were not on an earlier one. */
    addPage(searchId: number, { personIds, total }: FoundPage) {
      receive.run({ searchId, received: personIds.length, total: total ?? null });
      return addFound.run({ searchId, personIds: JSON.stringify(personIds) }).changes;
    },
    /** How many different people an open search has found. */
    foundBy: (searchId: number) => foundBy.get({ searchId }) ?? 0,
    end(searchId: number, endedBy: SearchEnd, isComplete: boolean) {
      const state = endedBy === 'failed' ? 'failed' : 'ended';
      end.run({ searchId, endedBy, state, isComplete: isComplete ? 1 : 0 });
      forgetFound.run({ searchId });
    },
    /** People received by all searches of a company in this run. */
    receivedFor: ({ runId, companyId, country }: CompanyOfRun) =>
      receivedFor.get({ runId, companyId, country }) ?? 0,
    counts: (runId: number) => counts.get({ runId }) as SearchCounts,
    /** The last searches of a company that runs of a job have made, up to one of them. */
    ofCompany: (company: { job: string; runId: number; companyId: string; country: string }) =>
      ofCompany.all(company),
    pages: (searchId: number) => pages.all({ searchId }),
    /** Whether any run after one, and up to another, has searched for people. */
    hasAny: (after: number, upTo: number) => hasAny.get({ after, upTo }) !== undefined,
    /** Notes of people whom a run has found as they were: the run in which each record became different. */
    setChangedRuns(
      { runId, companyId, country }: CompanyOfRun,
      changedRuns: Readonly<Record<string, number>>,
    ) {
      const changed = JSON.stringify(changedRuns);
      setChangedRuns.run({ runId, companyId, country, changedRuns: changed });
    },
  };
}
