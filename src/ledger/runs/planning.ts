import type { Database } from 'better-sqlite3';
import type { IdentifierKind } from '../../contract/identifier-kinds.ts';
import type { SearchFilters } from '../../rules/people-search.ts';
import { unpackRowIds } from '../rows/lists.ts';
import type { Statements } from '../statements.ts';
import type { Run } from './runs.ts';

/** Companies whose searches have come equally far. */
export interface OpenSearches extends SearchFilters {
  /** People received so far by all searches of the company. */
  readonly received: number;
  readonly companies: number;
}

/** What a plan asks of the ledger it is drafted in, which holds one run and no other rows. */
export function planningIn({ db, all, value }: Statements) {
  type OfRun = [runId: number];
  const asks = `candidates <> '[]'`;
  const kinds = all<[], { kind: IdentifierKind; rows: number }>(`
    select candidates ->> '$[0][0]' as kind, count(*) as rows from row
    where ${asks} group by 1 order by 2 desc, 1`);
  const reasons = all<[], { reason: string; rows: number }>(`
    select o.reason, count(*) as rows from row r join outcome o on o.row_id = r.id
    where not ${asks} group by 1 order by 2 desc, 1`);
  const duplicates = value<[], number>(`
    select count(*) - count(distinct country || (candidates ->> '$[0]')) from row where ${asks}`);
  return {
    /** Copies a run of another ledger file, without the cells of its rows and the bodies of answers. */
    copyRun: (path: string, run: Run) => copyRun(db, path, run),
    rows: () => ({
      /** By what they are asked for first. */
      kinds: kinds(),
      /** Rows that ask for nothing, most frequent reason first. */
      reasons: reasons(),
      /** Rows whose first question another row asks before them. */
      duplicates: duplicates(),
    }),
    /** Rows that wait for an answer. */
    openRows: value<OfRun, number>(
      `select count(*) from waiting where run_id = ? and search_id is null`,
    ),
    /** Open rows that differ in what they ask for: equal rows find one company. */
    distinctOpenRows: value<OfRun, number>(`
      select count(distinct r.country || r.candidates)
      from waiting w cross join row r on r.id = w.row_id where w.run_id = ?`),
    openCompanyCalls: value<OfRun, number>(`
      select count(distinct call_id) from waiting where run_id = ? and search_id is null`),
    openSearches: all<OfRun, OpenSearches>(`
      select s.seniority, s.department, s.position, count(*) as companies,
        (select sum(o.received) from search o
         where o.run_id = s.run_id and o.company_id = s.company_id and o.country = s.country
        ) as received
      from search s where s.run_id = ? and s.state = 'open'
      group by 1, 2, 3, 5`),
  };
}

/**
 * Copies a run from the ledger at a path: its rows without their cells, its calls
 * and the answers without bodies, its searches. Enough to plan how it goes on.
 */
function copyRun(db: Database, path: string, { id: runId, listId }: Run): void {
  db.prepare(`attach ? as past`).run(path);
  try {
    db.transaction(() => {
      for (const copy of copies) db.prepare(copy).run({ runId });
      const ofBlock = copiesOfBlock.map((copy) => db.prepare(copy));
      const blocks = db.prepare<[number], Buffer>(`
        select row_ids from past.list_block where list_id = ? order by first_number`);
      for (const packed of blocks.pluck().all(listId)) {
        const rowIds = JSON.stringify(unpackRowIds(packed));
        for (const copy of ofBlock) copy.run({ rowIds, runId });
      }
    })();
  } finally {
    db.exec(`detach past`);
  }
}

const copiesOfBlock = [
  `insert into main.row (id, hash, key, cells, country, candidates, checksum)
   select id, hash, key, '[]', country, candidates, checksum
   from past.row where id in (select value from json_each(:rowIds))`,
  `insert into main.outcome
   select o.* from (select value as id from json_each(:rowIds)) r
   cross join past.outcome o on o.row_id = r.id and o.run_id = (
     select max(e.run_id) from past.outcome e where e.row_id = r.id and e.run_id <= :runId)`,
];

const copies = [
  `insert into main.run select * from past.run where id = :runId`,
  // What was sent and not answered will be asked again.
  ...['progress', 'waiting', 'completed_call', 'search'].map(
    (table) => `insert into main.${table} select * from past.${table} where run_id = :runId`,
  ),
  `insert into main.call (id, key, request)
   select id, key, request from past.call
   where id in (
     select call_id from past.waiting where run_id = :runId
     union all
     select call_id from past.completed_call where run_id = :runId)`,

  `insert into main.answer (
     id, call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at)
   select
     id, call_id, outcome, status, message, company_id, match, attempts, duration_ms, fetched_at
   from past.answer
   where id in (select answer_id from past.completed_call where run_id = :runId)`,

  // Who was found matters only to searches that go on.
  `insert into main.found
   select * from past.found
   where search_id in (select id from past.search where run_id = :runId and state = 'open')`,
];
