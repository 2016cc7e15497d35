import type { Database } from 'better-sqlite3';
import type { Counts, Outcome } from '../../rules/outcomes.ts';

export interface ArrivedAnswer {
  readonly id: number;
  readonly request: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly fetchedAt: number;
}

/** Where a run stands, for its viewers and for resuming it. Nothing here reads all of its rows. */
export interface ProgressNotes {
  /** Called in the transaction that changes the counts, so that they are exact after a crash. */
  put(runId: number, counts: Counts): void;
  of(runId: number): Counts | undefined;
  /** How much of the list is read in. */
  rowsRead(runId: number): number;
  /** What the run's calls brought last, newest first. */
  lastAnswers(runId: number, limit: number): ArrivedAnswer[];
}

/** Other jobs may share the ledger, so that not all of the last answers are the run's. */
const answersLookedAt = 200;

export function progressIn(db: Database): ProgressNotes {
  const statements = prepareStatements(db);
  let last = { runId: 0, text: '' };
  return {
    put(runId, counts) {
      const text = JSON.stringify(counts);
      // A run that only waits writes nothing.
      if (last.runId === runId && last.text === text) return;
      last = { runId, text };
      statements.put.run({ runId, counts: text });
    },
    of(runId) {
      const note = statements.get.get({ runId });
      return note && (JSON.parse(note.counts) as Counts);
    },
    rowsRead: (runId) => statements.rowsRead.get({ runId })?.rows ?? 0,
    lastAnswers: (runId, limit) =>
      statements.lastAnswers.all({ runId, limit, window: answersLookedAt }),
  };
}

function prepareStatements(db: Database) {
  return {
    put: db.prepare(`
      insert or replace into progress (run_id, counts) values (:runId, :counts)`),
    get: db.prepare<{ runId: number }, { counts: string }>(
      `select counts from progress where run_id = :runId`,
    ),
    rowsRead: db.prepare<{ runId: number }, { rows: number | null }>(
      `select max(number) as rows from row where run_id = :runId`,
    ),
    lastAnswers: db.prepare<{ runId: number; limit: number; window: number }, ArrivedAnswer>(`
      select a.id, c.request, a.outcome, a.duration_ms as durationMs, a.fetched_at as fetchedAt
      from answer a join call c on c.id = a.call_id
      join completed_call t on t.run_id = :runId and t.call_id = a.call_id and t.answer_id = a.id
      where a.id > (select max(id) from answer) - :window
      order by a.id desc limit :limit`),
  };
}
