import type { Lists } from '../rows/lists.ts';
import type { RecordedRun } from '../run-records.ts';
import type { ChangeTimes } from './change-times.ts';
import type { OpenRows } from './open-rows.ts';

/** What readers of records share. */
export interface RecordParts {
  readonly lists: Lists;
  readonly times: ChangeTimes;
  readonly openRowsOf: (run: RecordedRun) => OpenRows;
}
