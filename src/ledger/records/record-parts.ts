import type { Database } from 'better-sqlite3';
import { IdSet } from '../../runtime/id-set.ts';
import { readAnswerJson } from '../../runtime/json/parse-json.ts';
import type { Bodies, BodyPlace } from '../calls/bodies.ts';
import type { Lists } from '../rows/lists.ts';
import type { RecordedRun } from '../run-records.ts';

/** What an answer says; undefined where it is damaged or there is none. */
export type ReadJson = (stored: BodyPlace & { answerId: number | null }) => unknown;

/** `onDamage` hears of each answer whose bytes have changed. */
export function jsonReader(bodies: Bodies, onDamage: (answerId: number) => void): ReadJson {
  return (stored) => {
    const body = bodies.read(stored);
    if (body) return readAnswerJson(body);
    if (stored.answerId !== null) onDamage(stored.answerId);
    return undefined;
  };
}

/** What readers of records share. */
export type RecordParts = ReturnType<typeof recordPartsIn>;

export function recordPartsIn(db: Database, lists: Lists) {
  const endedAt = db
    .prepare<{ runId: number }, number>(
      `select coalesce(finished_at, last_started_at) from run where id = :runId`,
    )
    .pluck();
  const waiting = db.prepare<{ runId: number }, { row_id: number; place: number }>(
    `select row_id, place from waiting where run_id = :runId and search_id is null`,
  );
  const times = new Map<number, string | null>();
  const readTime = (runId: number) => {
    const time = endedAt.get({ runId });
    return time === undefined ? null : new Date(time).toISOString();
  };
  const readOpenRows = (run: RecordedRun) => {
    const ids = new IdSet();
    /** The places of those that wait for a later candidate. */
    const places = new Map<number, number>();
    for (const { row_id, place } of waiting.iterate({ runId: run.id })) {
      ids.add(row_id);
      if (place > 0) places.set(row_id, place);
    }
    return { run, ids, places };
  };
  let open: ReturnType<typeof readOpenRows> | undefined;
  return {
    lists,
    /** When records became different: at the end of the run that found them so. ISO 8601, as an export of `run` tells it. */
    timeOf(run: RecordedRun, changedRun: number | null): string | null {
      if (changedRun === null) return null;
      // The run itself may be about to end, which the ledger does not know yet.
      if (changedRun === run.id)
        return new Date(run.finishedAt ?? run.endedAt ?? run.lastStartedAt).toISOString();
      const time = times.get(changedRun) ?? readTime(changedRun);
      times.set(changedRun, time);
      return time;
    },
    /** The rows of a run that wait. Read once for each look at a run, and not for each range of its rows. */
    openRowsOf(run: RecordedRun) {
      if (open?.run !== run) open = readOpenRows(run);
      return open;
    },
  };
}
