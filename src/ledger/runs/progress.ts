import type { Database } from 'better-sqlite3';
import type { Counts, Outcome } from '../../rules/outcomes.ts';

export interface ArrivedAnswer {
  readonly id: number;
  readonly request: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly fetchedAt: number;
}

/** What the files of an unfinished run show: a row that keeps an older answer is no longer open there. */
export type WrittenCounts = Pick<Counts, 'rows' | 'stale' | 'people'>;

/** Where a run stands, for its viewers and for resuming it. Nothing here reads all of its rows. */
export interface ProgressNotes {
  /** Called in the transaction that changes the counts, so that they are exact after a crash. */
  put(runId: number, counts: Counts, freshUntil?: number): void;
  of(runId: number): Counts | undefined;
  /** The files of an unfinished run are written. Holds until its counts change. */
  putWritten(runId: number, written: WrittenCounts): void;
  written(runId: number): WrittenCounts | undefined;
  /** When the first answer expires that the run has taken over from earlier ones. */
  freshUntil(runId: number): number;
  /** How much of the list is read in. */
  rowsRead(runId: number): number;
  /** What the run's calls brought last, newest first. */
  lastAnswers(runId: number, limit: number): ArrivedAnswer[];
}

interface StoredCounts extends Counts {
  readonly written?: WrittenCounts;
}

/** Other jobs may share the ledger, so that not all of the last answers are the run's. */
const answersLookedAt = 200;

export function progressIn(db: Database): ProgressNotes {
  const statements = prepareStatements(db);
  let last: { runId: number; counts: string; freshUntil: number | null } | undefined;
  return {
    put(runId, counts, freshUntil = Number.POSITIVE_INFINITY) {
      const note = {
        counts: JSON.stringify(counts),
        freshUntil: Number.isFinite(freshUntil) ? Math.floor(freshUntil) : null,
      };
      // A run that only waits writes nothing.
      if (
        last?.runId === runId &&
        last.counts === note.counts &&
        last.freshUntil === note.freshUntil
      )
        return;
      last = { runId, ...note };
      statements.put.run(last);
    },
    of(runId) {
      const note = statements.get.get({ runId });
      if (!note) return undefined;
      const { written: _, ...counts } = JSON.parse(note.counts) as StoredCounts;
      return counts;
    },
    putWritten: (runId, { rows, stale, people }) =>
      void statements.putWritten.run({ runId, written: JSON.stringify({ rows, stale, people }) }),
    written(runId) {
      const note = statements.get.get({ runId });
      return note && (JSON.parse(note.counts) as StoredCounts).written;
    },
    freshUntil: (runId) =>
      statements.freshUntil.get({ runId })?.freshUntil ?? Number.POSITIVE_INFINITY,
    rowsRead: (runId) => statements.rowsRead.get({ runId })?.rows ?? 0,
    lastAnswers: (runId, limit) =>
      statements.lastAnswers.all({ runId, limit, window: answersLookedAt }),
  };
}

function prepareStatements(db: Database) {
  return {
    put: db.prepare(`
      insert or replace into progress (run_id, counts, fresh_until)
      values (:runId, :counts, :freshUntil)`),
    putWritten: db.prepare<{ runId: number; written: string }>(
      `update progress set counts = json_set(counts, '$.written', json(:written))
       where run_id = :runId`,
    ),
    freshUntil: db.prepare<{ runId: number }, { freshUntil: number | null }>(
      `select fresh_until as freshUntil from progress where run_id = :runId`,
    ),
    get: db.prepare<{ runId: number }, { counts: string }>(
      `select counts from progress where run_id = :runId`,
    ),
    rowsRead: db.prepare<{ runId: number }, { rows: number | null }>(
      `select max(first_number + row_count) - 1 as rows from list_block
       where list_id = (select list_id from run where id = :runId)`,
    ),
    lastAnswers: db.prepare<{ runId: number; limit: number; window: number }, ArrivedAnswer>(`
      select a.id, c.request, a.outcome, a.duration_ms as durationMs, a.fetched_at as fetchedAt
      from answer a join call c on c.id = a.call_id
      join completed_call t on t.run_id = :runId and t.call_id = a.call_id and t.answer_id = a.id
      where a.id > (select max(id) from answer) - :window
      order by a.id desc limit :limit`),
  };
}
