import type { Database } from 'better-sqlite3';
import type { IdentifierKind } from '../../../core/contract/identifier-kinds.ts';
import type { SearchFilters } from '../../../core/rules/people-search.ts';
import { unpackRowIds } from '../rows/lists.ts';
import type { Statements } from '../statements.ts';
import type { Run } from './runs.ts';

export interface OpenSearches extends SearchFilters {
  readonly received: number;
  readonly companies: number;
}

/** For the scratch ledger of a plan, which contains one run. */
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
  const countOpenRows = get<{ rows: number; distinct: number; calls: number }>(`
    select count(*) as rows, count(distinct r.country || r.candidates) as "distinct",
      count(distinct w.call_id) as calls
    from waiting w cross join row r on r.id = w.row_id
    where w.run_id = ? and w.search_id is null`);
  return {
    copyRun: (path: string, run: Run) => copyRun(db, path, run),
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
        ) as received
      from search s where s.run_id = ? and s.state = 'open'
      group by 1, 2, 3, 5`),
  };
}

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
