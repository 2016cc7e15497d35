import { IdSet } from '../../runtime/id-set.ts';
import { readAnswerJson } from '../../runtime/json/parse-json.ts';
import type { Bodies, BodyPlace } from '../calls/bodies.ts';
import type { Lists } from '../rows/lists.ts';
import type { RecordedRun } from '../run-records.ts';
import type { Statements } from '../statements.ts';

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

export function recordPartsIn({ db, value }: Statements, lists: Lists) {
  const endOf = value<[runId: number], number | undefined>(
    `select coalesce(finished_at, last_started_at) from run where id = ?`,
  );
  const times = new Map<number, string | null>();
  let own: { readonly run: RecordedRun; readonly time: string } | undefined;
  const readOpenRows = (run: RecordedRun) => {
    const ids = new IdSet();
    /** The places of those that wait for a later candidate. */
    const places = new Map<number, number>();
    const waiting = db.prepare<[number], { rowId: number; place: number }>(
      `select row_id as rowId, place from waiting where run_id = ? and search_id is null`,
    );
    for (const { rowId, place } of waiting.iterate(run.id)) {
      ids.add(rowId);
      if (place > 0) places.set(rowId, place);
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
      if (changedRun === run.id) {
        const { finishedAt, endedAt, lastStartedAt } = run;
        if (own?.run !== run) {
          own = { run, time: new Date(finishedAt ?? endedAt ?? lastStartedAt).toISOString() };
        }
        return own.time;
      }
      let time = times.get(changedRun);
      if (time === undefined) {
        const end = endOf(changedRun);
        time = end === undefined ? null : new Date(end).toISOString();
        times.set(changedRun, time);
      }
      return time;
    },
    /** The rows of a run that wait. Read once for each look at a run, and not for each range of its rows. */
    openRowsOf(run: RecordedRun) {
      if (open?.run !== run) open = readOpenRows(run);
      return open;
    },
  };
}
