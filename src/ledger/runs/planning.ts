import type { Database } from 'better-sqlite3';
import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import type { RowCandidate, WaitingRow } from '../../rules/next-candidate.ts';
import type { SearchFilters } from '../../rules/people-search.ts';
import { copyRun } from './copy-run.ts';

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

/** What a plan asks of the ledger it is drafted in. */
export interface Planning {
  /** Copies a run of another ledger file, without the cells of its rows and the bodies of answers. */
  copyRun(path: string, runId: number): void;
  rows(runId: number): RowFigures;
  /** Open rows after one of them, in order. */
  openRows(runId: number, after: number, limit: number): WaitingRow[];
  /** Open rows that differ in what they ask for: equal rows find one company. */
  distinctOpenRows(runId: number): number;
  openCompanyCalls(runId: number): number;
  openSearches(runId: number): OpenSearches[];
}

export function planningIn(db: Database): Planning {
  const statements = prepareStatements(db);
  const countOf = (row: { count: number } | undefined) => row?.count ?? 0;
  return {
    copyRun: (path, runId) => copyRun(db, path, runId),
    rows: (runId) => ({
      kinds: statements.kinds.all({ runId }),
      reasons: statements.reasons.all({ runId }),
      duplicates: countOf(statements.duplicates.get({ runId })),
    }),
    openRows: (runId, after, limit) =>
      statements.openRows.all({ runId, after, limit }).map((row) => ({
        ...row,
        candidates: JSON.parse(row.candidates) as RowCandidate[],
      })),
    distinctOpenRows: (runId) => countOf(statements.distinctOpenRows.get({ runId })),
    openCompanyCalls: (runId) => countOf(statements.openCompanyCalls.get({ runId })),
    openSearches: (runId) => statements.openSearches.all({ runId }),
  };
}

function prepareStatements(db: Database) {
  type OfRun = { runId: number };
  type Count = { count: number };
  const first = `(candidates ->> '$[0]')`;
  const isOpen = `not exists (
    select 1 from row_outcome o where o.run_id = r.run_id and o.number = r.number)`;
  return {
    kinds: db.prepare<OfRun, { kind: IdentifierKind; rows: number }>(`
      select candidates ->> '$[0][0]' as kind, count(*) as rows from row
      where run_id = :runId and candidate_count > 0 group by 1 order by 2 desc, 1`),
    reasons: db.prepare<OfRun, { reason: string; rows: number }>(`
      select o.reason, count(*) as rows
      from row r join row_outcome o on o.run_id = r.run_id and o.number = r.number
      where r.run_id = :runId and r.candidate_count = 0 group by 1 order by 2 desc, 1`),
    duplicates: db.prepare<OfRun, Count>(`
      select count(*) - count(distinct country || ${first}) as count from row
      where run_id = :runId and candidate_count > 0`),
    openRows: db.prepare<
      { runId: number; after: number; limit: number },
      Omit<WaitingRow, 'candidates'> & { candidates: string }
    >(`
      select number, country, candidates, place from row r
      where run_id = :runId and number > :after and ${isOpen} order by number limit :limit`),
    distinctOpenRows: db.prepare<OfRun, Count>(`
      select count(distinct country || candidates) as count from row r
      where run_id = :runId and ${isOpen}`),
    openCompanyCalls: db.prepare<OfRun, Count>(`
      select count(*) as count from open_call where run_id = :runId and search_id is null`),
    openSearches: db.prepare<OfRun, OpenSearches>(`
      select s.seniority, s.department, s.position, count(*) as companies,
        (select sum(o.received) from search o
         where o.run_id = s.run_id and o.company_id = s.company_id and o.country = s.country
        ) as received
      from search s where s.run_id = :runId and s.state = 'open'
      group by 1, 2, 3, 5`),
  };
}
