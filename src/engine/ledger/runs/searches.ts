import type { SearchEnd, SearchSoFar } from '../../../core/rules/people-search.ts';
import type { Statements } from '../statements.ts';

export interface Search extends SearchSoFar {
  readonly id: number;
  readonly runId: number;
  readonly serviceId: number | null;
  /** Highest total that a page has reported. */
  readonly total: number | null;
}

interface CallOfPage {
  readonly searchId: number;
  readonly callId: number;
  readonly text: string;
  readonly serviceId: number | null;
  readonly answerId: number;
}

type CompanyOfRun = Pick<Search, 'runId' | 'companyId' | 'country' | 'serviceId'>;

/** An id means something only at its service. */
export const lastSearched = (
  companyId = ':companyId',
  country = ':country',
  serviceId = ':serviceId',
) => `(
  select max(l.run_id) from search l join run u on u.id = l.run_id and u.job = :job
  where l.company_id = ${companyId} and l.country = ${country} and l.run_id <= :runId
    and l.service_id is ${serviceId})`;

export interface LastSearch
  extends Pick<Search, 'id' | 'runId' | 'seniority' | 'department' | 'position' | 'received'> {
  readonly state: 'open' | 'ended' | 'failed';
  readonly isComplete: 0 | 1 | null;
  /** JSON: the run that last changed each person, if earlier. */
  readonly changedRuns: string | null;
}

export function lastSearchesIn({ all }: Statements) {
  // `+id` stops SQLite from scanning all searches of a run.
  return all<LastSearch, [CompanyOfRun & { job: string }]>(`
    select id, run_id as runId, seniority, department, position, state, received,
      is_complete as isComplete, changed_runs as changedRuns
    from search
    where company_id = :companyId and country = :country and run_id = ${lastSearched()}
      and service_id is :serviceId
    order by +id`);
}

export function searchesIn(statements: Statements) {
  const { change, get, all, value } = statements;
  const insert = change(`
    insert into search (
      run_id, company_id, country, seniority, department, position, service_id)
    values (:runId, :companyId, :country, :seniority, :department, :position, :serviceId)
    on conflict do nothing`);
  const select = get<Search>(`
    select id, run_id as runId, company_id as companyId, country, seniority, department,
      position, received, total, service_id as serviceId
    from search where id = ?`);
  const receive = change(`
    update search
    set received = received + :received, total = max(coalesce(total, :total), coalesce(:total, total))
    where id = :searchId`);
  const addFound = change(`
    insert into found (search_id, person_id) select ?, value from json_each(?)
    where true on conflict do nothing`);
  const end = change(`
    update search set state = :state, is_complete = :isComplete
    where id = :searchId`);
  const forgetFound = change(`delete from found where search_id = ?`);
  const receivedFor = value<number | null>(`
    select sum(received) from search
    where run_id = :runId and company_id = :companyId and country = :country
      and service_id is :serviceId`);
  const setChangedRuns = change(`
    update search set changed_runs = :changedRuns where id = (
      select min(id) from search
      where company_id = :companyId and country = :country and run_id = :runId
        and service_id is :serviceId)`);
  const getSearch = (searchId: number) => select(searchId) as Search;
  return {
    /** Undefined if the run already has this search. */
    open(search: Omit<Search, 'id' | 'received' | 'total'>) {
      const { changes, lastInsertRowid } = insert(search);
      return changes === 0 ? undefined : getSearch(Number(lastInsertRowid));
    },
    get: getSearch,
    addPage(searchId: number, personIds: readonly string[], total: number | undefined) {
      receive({ searchId, received: personIds.length, total: total ?? null });
      return addFound(searchId, JSON.stringify(personIds)).changes;
    },
    foundBy: value<number, [searchId: number]>(`select count(*) from found where search_id = ?`),
    end(searchId: number, endedBy: SearchEnd, isComplete: boolean) {
      const state = endedBy === 'failed' ? 'failed' : 'ended';
      end({ searchId, state, isComplete: Number(isComplete) });
      forgetFound(searchId);
    },
    receivedFor: ({ runId, companyId, country, serviceId }: CompanyOfRun) =>
      receivedFor({ runId, companyId, country, serviceId }) ?? 0,
    ofCompany: lastSearchesIn(statements),
    pages: all<CallOfPage, [searchId: number]>(`
      select d.search_id as searchId, d.call_id as callId, c.text, c.service_id as serviceId,
        d.answer_id as answerId
      from completed_call d join call c on c.id = d.call_id
      where d.search_id = ? order by d.page`),
    setChangedRuns: (company: CompanyOfRun, changedRuns: Readonly<Record<string, number>>) =>
      void setChangedRuns({ ...company, changedRuns: JSON.stringify(changedRuns) }),
  };
}
