import type { Bodies } from './calls/bodies.ts';
import { changedRowsIn } from './records/changed-rows.ts';
import { type CompanyOfRow, peopleRecordsIn } from './records/people-records.ts';
import { jsonReader, type RecordParts, recordPartsIn } from './records/record-parts.ts';
import { rowRecordsIn } from './records/row-records.ts';
import { rowTrailsIn } from './records/row-trail.ts';
import type { Lists } from './rows/lists.ts';
import { lastOutcome } from './rows/outcomes.ts';
import type { HowToLook, RecordedRun, RowRange, RunRecords } from './run-records.ts';
import type { Statements } from './statements.ts';

type OnDamage = (answerId: number) => void;

export function recordsIn(statements: Statements, bodies: Bodies, lists: Lists) {
  const { db } = statements;
  const parts = recordPartsIn(statements, lists);
  const rows = rowRecordsIn(statements, parts);
  const changedRows = changedRowsIn(statements, lists, rows);
  const people = peopleRecordsIn(statements, parts);
  return {
    /** All that an export reads of a run. `onDamage` hears of each answer whose bytes have changed. */
    of(run: RecordedRun, onDamage: OnDamage): RunRecords {
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
    /** Some rows of a run by their numbers, in this order; a number that no row has is left out. */
    at: (run: RecordedRun, numbers: readonly number[], onDamage: OnDamage) =>
      rows.sides(run, jsonReader(bodies, onDamage), lists.rowsAt(run.listId, numbers)),
    /** The people of the company that a row has found; undefined where none were searched. */
    peopleOfRow: (run: RecordedRun, row: CompanyOfRow, onDamage: OnDamage) =>
      people.ofRow(run, jsonReader(bodies, onDamage), row),
    ...rowStatesIn(statements, parts),
    /** What was asked for a row up to a run, and what was answered; undefined where there is no such row. */
    trail: rowTrailsIn(statements, parts),
    /** Rows, and people of companies, that may differ between two runs of a job. Each call starts from the beginning. */
    changed(base: RecordedRun, run: RecordedRun, onDamage: OnDamage, how: HowToLook = {}) {
      const readJson = jsonReader(bodies, onDamage);
      return {
        rows: () => changedRows(base, run, readJson, how),
        people: () => people.changed(base, run, readJson, how),
      };
    },
  };
}

function rowStatesIn({ all }: Statements, { lists, openRowsOf }: RecordParts) {
  const outcomesOf = all<
    [{ runId: number; rowIds: string }],
    { state: string | null; changedRun: number | null }
  >(`
    select o.run_id || ' ' || coalesce(o.answer_id, '') || ' ' || o.is_stale || ' ' || o.status as state,
      coalesce(o.changed_run, o.run_id) as changedRun
    from (select key, value as id from json_each(:rowIds)) r
    left join outcome o on ${lastOutcome}
    order by r.key`);
  return {
    /** Where rows of a run stand, block by block in the order of the list. No answer is read for it. */
    *states(run: RecordedRun, range?: RowRange) {
      for (const { firstNumber, rowIds } of lists.blocks(run.listId, range)) {
        const waiting = openRowsOf(run).ids;
        const outcomes = outcomesOf({ runId: run.id, rowIds: JSON.stringify(rowIds) });
        yield {
          firstNumber,
          /** Equal for a row whose record is as it was, but for when it became so. */
          states: rowIds.map(
            (rowId, at) => `${waiting.has(rowId) ? 'open ' : ''}${outcomes[at]?.state}`,
          ),
          /** The runs in which the records last became different; null for a row without an outcome. */
          changedRuns: outcomes.map(({ changedRun }) => changedRun),
        };
      }
    },
    /** The rows of a run that are open, block by block in the order of the list; nothing else is read. */
    *openRows(run: RecordedRun) {
      const waiting = openRowsOf(run).ids;
      for (const { firstNumber, rowIds } of lists.blocks(run.listId)) {
        yield { firstNumber, isOpen: rowIds.map((rowId) => waiting.has(rowId)) };
      }
    },
  };
}
