import type { Database } from 'better-sqlite3';
import type { SearchEnd, SearchSoFar } from '../../rules/people-search.ts';

export interface Search extends SearchSoFar {
  readonly id: number;
  readonly runId: number;
  readonly longestPage: number;
}

export type NewSearch = Omit<Search, 'id' | 'received' | 'longestPage'>;

export interface SearchCounts {
  readonly open: number;
  readonly ended: number;
  readonly failed: number;
  readonly people: number;
}

export interface Searches {
  /** Undefined when the run has this search already. */
  open(search: NewSearch): Search | undefined;
  get(searchId: number): Search;
  /** Notes who was on a page; says how many of them were not on an earlier one. */
  addPage(searchId: number, received: number, personIds: readonly string[]): number;
  end(searchId: number, endedBy: SearchEnd): void;
  /** People received by all searches of a company in this run. */
  receivedFor(company: Pick<Search, 'runId' | 'companyId' | 'country'>): number;
  counts(runId: number): SearchCounts;
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
    addPage(searchId, received, personIds) {
      statements.receive.run({ searchId, received });
      return statements.addFound.run({ searchId, personIds: JSON.stringify(personIds) }).changes;
    },
    end(searchId, endedBy) {
      const state = endedBy === 'failed' ? 'failed' : 'ended';
      statements.end.run({ searchId, endedBy, state });
      statements.forgetFound.run({ searchId });
    },
    receivedFor: ({ runId, companyId, country }) =>
      statements.receivedFor.get({ runId, companyId, country })?.received ?? 0,
    counts: (runId) => statements.counts.get({ runId }) as SearchCounts,
  };
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<NewSearch>(`
      insert into search (run_id, company_id, country, seniority, department, position)
      values (:runId, :companyId, :country, :seniority, :department, :position)
      on conflict do nothing`),
    get: db.prepare<{ searchId: number }, Search>(`
      select id, run_id as runId, company_id as companyId, country, seniority, department,
        position, received, longest_page as longestPage
      from search where id = :searchId`),
    receive: db.prepare(`
      update search
      set received = received + :received, longest_page = max(longest_page, :received)
      where id = :searchId`),
    addFound: db.prepare(`
      insert into found (search_id, person_id) select :searchId, value from json_each(:personIds)
      where true on conflict do nothing`),
    end: db.prepare(`update search set state = :state, ended_by = :endedBy where id = :searchId`),
    // The people are in the answers; `found` only tells when a page brings nobody new.
    forgetFound: db.prepare(`delete from found where search_id = :searchId`),
    receivedFor: db.prepare<Pick<Search, 'runId' | 'companyId' | 'country'>, { received: number }>(`
      select coalesce(sum(received), 0) as received from search
      where run_id = :runId and company_id = :companyId and country = :country`),
    counts: db.prepare<{ runId: number }, SearchCounts>(`
      select
        count(*) filter (where state = 'open') as open,
        count(*) filter (where state = 'ended') as ended,
        count(*) filter (where state = 'failed') as failed,
        coalesce(sum(received), 0) as people
      from search where run_id = :runId`),
  };
}
