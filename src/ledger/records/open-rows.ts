import type { Database } from 'better-sqlite3';
import { IdSet } from '../../runtime/id-set.ts';
import type { RecordedRun } from '../run-records.ts';

/** The rows of a run that wait, and the places of those that wait for a later candidate. */
export interface OpenRows {
  readonly ids: IdSet;
  readonly places: ReadonlyMap<number, number>;
}

/** Which rows are open is read once for each look at a run, and not for each range of its rows. */
export function openRowsIn(db: Database): (run: RecordedRun) => OpenRows {
  const statement = db.prepare<{ runId: number }, { row_id: number; place: number }>(
    `select row_id, place from waiting where run_id = :runId and search_id is null`,
  );
  let last: { readonly run: RecordedRun; readonly rows: OpenRows } | undefined;
  return (run) => {
    if (last?.run === run) return last.rows;
    const ids = new IdSet();
    const places = new Map<number, number>();
    for (const { row_id, place } of statement.iterate({ runId: run.id })) {
      ids.add(row_id);
      if (place > 0) places.set(row_id, place);
    }
    last = { run, rows: { ids, places } };
    return last.rows;
  };
}
