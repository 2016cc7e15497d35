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
export interface EarlierSearch {
  readonly id: number;
  readonly runId: number;
  readonly state: 'open' | 'ended' | 'failed';
  readonly received: number;
  readonly isComplete: 0 | 1 | null;
}

/** A page of people and the answer that brought it. */
export interface SearchPage {
  readonly searchId: number;
  readonly callId: number;
  readonly request: string;
  readonly answerId: number;
}

export interface SearchCounts {
  readonly open: number;
  readonly ended: number;
  readonly failed: number;
  /** Searches that ended and may not have brought everybody. */
  readonly incomplete: number;
  readonly people: number;
}

/** A page of people as a search sees it. */
export interface FoundPage {
  readonly personIds: readonly string[];
  readonly total: number | undefined;
}

export interface Searches {
  /** Undefined when the run has this search already. */
  open(search: NewSearch): Search | undefined;
  get(searchId: number): Search;
  /** Notes who was on a page; says how many of them were not on an earlier one. */
  addPage(searchId: number, page: FoundPage): number;
  /** How many different people an open search has found. */
  foundBy(searchId: number): number;
  end(searchId: number, endedBy: SearchEnd, isComplete: boolean): void;
  /** People received by all searches of a company in this run. */
  receivedFor(company: Pick<Search, 'runId' | 'companyId' | 'country'>): number;
  counts(runId: number): SearchCounts;
  /** The last searches of a company that runs of a job have made, up to one of them. */
  ofCompany(company: {
    readonly job: string;
    readonly upToRun: number;
    readonly companyId: string;
    readonly country: string;
  }): EarlierSearch[];
  pages(searchId: number): SearchPage[];
  /** Notes of people whom a run has found as they were: the run in which each record became different. */
  setChangedRuns(
    company: Pick<Search, 'runId' | 'companyId' | 'country'>,
    changedRuns: Readonly<Record<string, number>>,
  ): void;
}

export function searchesIn(db: Database): Searches {
  const statements = prepareStatements(db);
  const get = (searchId: number) => statements.get.get({ searchId }) as Search;
  return {
    open(search) {
      const { changes, lastInsertRowid } = statements.insert.run(search);
      return changes === 0 ? undefined : get(Number(lastInsertRowid));
    },
    get,
    addPage(searchId, { personIds, total }) {
      statements.receive.run({ searchId, received: personIds.length, total: total ?? null });
      return statements.addFound.run({ searchId, personIds: JSON.stringify(personIds) }).changes;
    },
    foundBy: (searchId) => statements.foundBy.get({ searchId })?.people ?? 0,
    end(searchId, endedBy, isComplete) {
      const state = endedBy === 'failed' ? 'failed' : 'ended';
      statements.end.run({ searchId, endedBy, state, isComplete: isComplete ? 1 : 0 });
      statements.forgetFound.run({ searchId });
    },
    receivedFor: ({ runId, companyId, country }) =>
      statements.receivedFor.get({ runId, companyId, country })?.received ?? 0,
    counts: (runId) => statements.counts.get({ runId }) as SearchCounts,
    ofCompany: (company) => statements.ofCompany.all(company),
    pages: (searchId) => statements.pages.all({ searchId }),
    setChangedRuns: ({ runId, companyId, country }, changedRuns) =>
      void statements.setChangedRuns.run({
        ...{ runId, companyId, country },
        changedRuns: JSON.stringify(changedRuns),
      }),
  };
}

/** The last run of :job, up to :upToRun, that has searched for the people of a company. */
const lastSearched = `(
  select max(s.run_id) from search s join run u on u.id = s.run_id and u.job = :job
  where s.company_id = :companyId and s.country = :country and s.run_id <= :upToRun)`;

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<NewSearch>(`
      insert into search (run_id, company_id, country, seniority, department, position)
      values (:runId, :companyId, :country, :seniority, :department, :position)
      on conflict do nothing`),
    get: db.prepare<{ searchId: number }, Search>(`
      select id, run_id as runId, company_id as companyId, country, seniority, department,
        position, received, total
      from search where id = :searchId`),
    receive: db.prepare(`
      update search
      set received = received + :received, total = max(coalesce(total, :total), coalesce(:total, total))
      where id = :searchId`),
    addFound: db.prepare(`
      insert into found (search_id, person_id) select :searchId, value from json_each(:personIds)
      where true on conflict do nothing`),
    foundBy: db.prepare<{ searchId: number }, { people: number }>(
      `select count(*) as people from found where search_id = :searchId`,
    ),
    end: db.prepare(`
      update search set state = :state, ended_by = :endedBy, is_complete = :isComplete
      where id = :searchId`),
    // The people are in the answers; `found` only tells when a page brings no new person.
    forgetFound: db.prepare(`delete from found where search_id = :searchId`),
    receivedFor: db.prepare<Pick<Search, 'runId' | 'companyId' | 'country'>, { received: number }>(`
      select coalesce(sum(received), 0) as received from search
      where run_id = :runId and company_id = :companyId and country = :country`),
    counts: db.prepare<{ runId: number }, SearchCounts>(`
      select
        count(*) filter (where state = 'open') as open,
        count(*) filter (where state = 'ended') as ended,
        count(*) filter (where state = 'failed') as failed,
        count(*) filter (where state = 'ended' and is_complete = 0) as incomplete,
        coalesce(sum(received), 0) as people
      from search where run_id = :runId`),
    ofCompany: db.prepare<object, EarlierSearch>(`
      select id, run_id as runId, state, received, is_complete as isComplete from search
      where company_id = :companyId and country = :country and run_id = ${lastSearched}
      order by id`),
    pages: db.prepare<{ searchId: number }, SearchPage>(`
      select d.search_id as searchId, d.call_id as callId, c.request, d.answer_id as answerId
      from completed_call d join call c on c.id = d.call_id
      where d.search_id = :searchId order by d.page`),
    setChangedRuns: db.prepare(`
      update search set changed_runs = :changedRuns where id = (
        select min(id) from search
        where company_id = :companyId and country = :country and run_id = :runId)`),
  };
}
