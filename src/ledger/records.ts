import type { Database } from 'better-sqlite3';
import type { Bodies } from './calls/bodies.ts';
import { jsonReader } from './records/answer-json.ts';
import { changeTimesIn } from './records/change-times.ts';
import { changedRowsIn } from './records/changed-rows.ts';
import { openRowsIn } from './records/open-rows.ts';
import { type CompanyOfRow, type PeopleOfRow, peopleRecordsIn } from './records/people-records.ts';
import { rowRecordsIn } from './records/row-records.ts';
import { type RowStates, rowStatesIn } from './records/row-states.ts';
import { type RowTrails, rowTrailsIn } from './records/row-trail.ts';
import type { Lists } from './rows/lists.ts';
import type {
  ChangedRecords,
  ChangedSide,
  HowToLook,
  RecordedRun,
  RunRecords,
} from './run-records.ts';

export interface Records extends RowStates, RowTrails {
  /** All that an export reads of a run. `onDamage` hears of each answer whose bytes have changed. */
  of(run: RecordedRun, onDamage: (answerId: number) => void): RunRecords;
  /** Some rows of a run by their numbers, in this order; a number that no row has is left out. */
  at(
    run: RecordedRun,
    numbers: readonly number[],
    onDamage: (answerId: number) => void,
  ): ChangedSide[];
  /** The people of the company that a row has found; undefined where none were searched. */
  peopleOfRow(
    run: RecordedRun,
    row: CompanyOfRow,
    onDamage: (answerId: number) => void,
  ): PeopleOfRow | undefined;
  /** Rows, and people of companies, that may differ between two runs of a job. */
  changed(
    base: RecordedRun,
    run: RecordedRun,
    onDamage: (answerId: number) => void,
    how?: HowToLook,
  ): ChangedRecords;
}

export function recordsIn(db: Database, bodies: Bodies, lists: Lists): Records {
  const parts = { lists, times: changeTimesIn(db), openRowsOf: openRowsIn(db) };
  const rows = rowRecordsIn(db, parts);
  const changedRows = changedRowsIn(db, lists, rows);
  const people = peopleRecordsIn(db, parts);
  return {
    of(run, onDamage) {
      // An export reads each page once, so a cache as large as for writing only takes memory.
      db.pragma('cache_size = -1000');
      db.pragma('shrink_memory');
      const readJson = jsonReader(bodies, onDamage);
      return {
        inputColumns: run.columns,
        hasPeople: run.hasPeople,
        rows: () => rows.of(run, readJson),
        people: () => people.of(run, readJson),
      };
    },
    at: (run, numbers, onDamage) =>
      rows.sides(run, jsonReader(bodies, onDamage), lists.rowsAt(run.listId, numbers)),
    peopleOfRow: (run, row, onDamage) => people.ofRow(run, jsonReader(bodies, onDamage), row),
    ...rowStatesIn(db, parts),
    ...rowTrailsIn(db, parts),
    changed(base, run, onDamage, how = {}) {
      const readJson = jsonReader(bodies, onDamage);
      return {
        rows: () => changedRows.between(base, run, readJson, how),
        people: () => people.changed(base, run, readJson, how),
      };
    },
  };
}
