import type { Database } from 'better-sqlite3';
import type { Bodies } from './calls/bodies.ts';
import { jsonReader } from './records/answer-json.ts';
import { changeTimesIn } from './records/change-times.ts';
import { changedRowsIn } from './records/changed-rows.ts';
import { largeRowsIn } from './records/large-rows.ts';
import { openRowsIn } from './records/open-rows.ts';
import { peopleRecordsIn } from './records/people-records.ts';
import { rowRecordsIn } from './records/row-records.ts';
import type { Lists } from './rows/lists.ts';
import type {
  ChangedRecords,
  HowToLook,
  LargeRow,
  RecordedRun,
  RunRecords,
} from './run-records.ts';

export interface Records {
  /** All that an export reads of a run. `onDamage` hears of each answer whose bytes have changed. */
  of(run: RecordedRun, onDamage: (answerId: number) => void): RunRecords;
  /** The rows of a run with large answers, in their order. */
  largeRows(run: RecordedRun): LargeRow[];
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
        rows: (range) => rows.of(run, readJson, range),
        people: () => people.of(run, readJson),
      };
    },
    largeRows: largeRowsIn(db, lists),
    changed(base, run, onDamage, how = {}) {
      const readJson = jsonReader(bodies, onDamage);
      return {
        rows: () => changedRows.between(base, run, readJson, how),
        people: () => people.changed(base, run, readJson, how),
      };
    },
  };
}
