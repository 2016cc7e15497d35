import type { Database } from 'better-sqlite3';

/**
 * Copies a run from the ledger at a path: its rows without their cells, its calls
 * and the answers without bodies, its searches. Enough to plan how it goes on.
 */
export function copyRun(db: Database, path: string, runId: number): void {
  db.prepare(`attach :path as past`).run({ path });
  try {
    db.transaction(() => {
      for (const copy of copies) db.prepare(copy).run({ runId });
    })();
  } finally {
    db.exec(`detach past`);
  }
}

const copies = [
  `insert into main.run select * from past.run where id = :runId`,

  `insert into main.row (
     run_id, number, line, key, cells, country, candidates, candidate_count, place, call_id)
   select run_id, number, line, key, '[]', country, candidates, candidate_count, place, call_id
   from past.row where run_id = :runId`,

  `insert into main.row_outcome select * from past.row_outcome where run_id = :runId`,
  // What was sent and not answered will be asked again.
  `insert into main.open_call select * from past.open_call where run_id = :runId`,
  `insert into main.completed_call select * from past.completed_call where run_id = :runId`,

  `insert into main.call (id, key, request)
   select id, key, request from past.call
   where id in (
     select call_id from past.open_call where run_id = :runId
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
