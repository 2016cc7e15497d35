import type { Database } from 'better-sqlite3';
import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import type { SearchFilters } from '../../rules/people-search.ts';
import { copyRun } from './copy-run.ts';
import type { Run } from './runs.ts';

export interface RowFigures {
  /** By what they are asked for first. */
  readonly kinds: readonly { readonly kind: IdentifierKind; readonly rows: number }[];
  /** Rows that ask for nothing, most frequent reason first. */
  readonly reasons: readonly { readonly reason: string; readonly rows: number }[];
  /** Rows whose first question another row asks before them. */
  readonly duplicates: number;
}

/** Companies whose searches have come equally far. */
export interface OpenSearches extends SearchFilters {
  /** People received so far by all searches of the company. */
  readonly received: number;
  readonly companies: number;
}

/** What a plan asks of the ledger it is drafted in, which holds one run and no other rows. */
export interface Planning {
  /** Copies a run of another ledger file, without the cells of its rows and the bodies of answers. */
  copyRun(path: string, run: Pick<Run, 'id' | 'listId'>): void;
  rows(): RowFigures;
  /** Rows that wait for an answer. */
  openRows(runId: number): number;
  /** Open rows that differ in what they ask for: equal rows find one company. */
  distinctOpenRows(runId: number): number;
  openCompanyCalls(runId: number): number;
  openSearches(runId: number): OpenSearches[];
}

export function planningIn(db: Database): Planning {
  const statements = prepareStatements(db);
  const countOf = (row: { count: number } | undefined) => row?.count ?? 0;
  return {
    copyRun: (path, run) => copyRun(db, path, run),
    rows: () => ({
      kinds: statements.kinds.all(),
      reasons: statements.reasons.all(),
      duplicates: countOf(statements.duplicates.get()),
    }),
    openRows: (runId) => countOf(statements.openRows.get({ runId })),
    distinctOpenRows: (runId) => countOf(statements.distinctOpenRows.get({ runId })),
    openCompanyCalls: (runId) => countOf(statements.openCompanyCalls.get({ runId })),
    openSearches: (runId) => statements.openSearches.all({ runId }),
  };
}

function prepareStatements(db: Database) {
  type OfRun = { runId: number };
  type Count = { count: number };
  const first = `(candidates ->> '$[0]')`;
  const asks = `candidates <> '[]'`;
  return {
    kinds: db.prepare<[], { kind: IdentifierKind; rows: number }>(`
      select candidates ->> '$[0][0]' as kind, count(*) as rows from row
      where ${asks} group by 1 order by 2 desc, 1`),
    reasons: db.prepare<[], { reason: string; rows: number }>(`
      select o.reason, count(*) as rows from row r join outcome o on o.row_id = r.id
      where not ${asks} group by 1 order by 2 desc, 1`),
    duplicates: db.prepare<[], Count>(`
      select count(*) - count(distinct country || ${first}) as count from row where ${asks}`),
    openRows: db.prepare<OfRun, Count>(
      'select count(*) as count from waiting where run_id = :runId and search_id is null',
    ),
    distinctOpenRows: db.prepare<OfRun, Count>(`
      select count(distinct r.country || r.candidates) as count
      from waiting w cross join row r on r.id = w.row_id where w.run_id = :runId`),
    openCompanyCalls: db.prepare<OfRun, Count>(`
      select count(distinct call_id) as count from waiting
      where run_id = :runId and search_id is null`),
    openSearches: db.prepare<OfRun, OpenSearches>(`
      select s.seniority, s.department, s.position, count(*) as companies,
        (select sum(o.received) from search o
         where o.run_id = s.run_id and o.company_id = s.company_id and o.country = s.country
        ) as received
      from search s where s.run_id = :runId and s.state = 'open'
      group by 1, 2, 3, 5`),
  };
}
