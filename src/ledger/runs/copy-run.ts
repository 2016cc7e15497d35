import type { Database } from 'better-sqlite3';
import { unpackRowIds } from '../rows/row-ids.ts';
import type { Run } from './runs.ts';

/**
 * Copies a run from the ledger at a path: its rows without their cells, its calls
 * and the answers without bodies, its searches. Enough to plan how it goes on.
 */
export function copyRun(db: Database, path: string, { id: runId, listId }: CopiedRun): void {
  db.prepare(`attach :path as past`).run({ path });
  try {
    db.transaction(() => {
      for (const copy of copies) db.prepare(copy).run({ runId });
      const copyRows = db.prepare(rowsOfBlock);
      const copyOutcomes = db.prepare(outcomesOfBlock);
      for (const { row_ids } of db.prepare<[number], Block>(blocksOfList).all(listId)) {
        const rowIds = JSON.stringify(unpackRowIds(row_ids));
        copyRows.run({ rowIds });
        copyOutcomes.run({ rowIds, runId });
      }
    })();
  } finally {
    db.exec(`detach past`);
  }
}

type CopiedRun = Pick<Run, 'id' | 'listId'>;
type Block = { readonly row_ids: Buffer };

const blocksOfList = `select row_ids from past.list_block where list_id = ? order by first_number`;

const rowsOfBlock = `
  insert into main.row (id, hash, key, cells, country, candidates, checksum)
  select id, hash, key, '[]', country, candidates, checksum
  from past.row where id in (select value from json_each(:rowIds))`;

const outcomesOfBlock = `
  insert into main.outcome
  select o.* from (select value as id from json_each(:rowIds)) r
  cross join past.outcome o on o.row_id = r.id and o.run_id = (
    select max(e.run_id) from past.outcome e where e.row_id = r.id and e.run_id <= :runId)`;

const copies = [
  `insert into main.run select * from past.run where id = :runId`,
  `insert into main.progress select * from past.progress where run_id = :runId`,
  // What was sent and not answered will be asked again.
  `insert into main.waiting select * from past.waiting where run_id = :runId`,
  `insert into main.completed_call select * from past.completed_call where run_id = :runId`,

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

  `insert into main.search select * from past.search where run_id = :runId`,

  // Who was found matters only to searches that go on.
  `insert into main.found
   select * from past.found
   where search_id in (select id from past.search where run_id = :runId and state = 'open')`,
];
