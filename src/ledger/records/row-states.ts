import type { Database } from 'better-sqlite3';
import type { RecordedRun, RowRange } from '../run-records.ts';
import type { RecordParts } from './record-parts.ts';

export interface RowStates {
  /** Where rows of a run stand, block by block in the order of the list. No answer is read for it. */
  states(run: RecordedRun, range?: RowRange): Iterable<StatesOfBlock>;
  /** The rows of a run that are open, in the order of the list; nothing else is read. */
  openRows(run: RecordedRun): Iterable<OpenRowsOfBlock>;
}

export interface StatesOfBlock {
  readonly firstNumber: number;
  /** Equal for a row whose record is as it was, but for when it became so. */
  readonly states: readonly string[];
  /** The runs in which the records last became different; null for a row without an outcome. */
  readonly changedRuns: readonly (number | null)[];
}

export interface OpenRowsOfBlock {
  readonly firstNumber: number;
  /** Aligned with the rows of the block. */
  readonly isOpen: readonly boolean[];
}

export function rowStatesIn(db: Database, { lists, openRowsOf }: RecordParts): RowStates {
  const statement = db
    .prepare<{ runId: number; rowIds: string }, [state: string | null, changedRun: number | null]>(`
      select o.run_id || ' ' || coalesce(o.answer_id, '') || ' ' || o.is_stale || ' ' || o.status,
        coalesce(o.changed_run, o.run_id)
      from json_each(:rowIds) i
      left join outcome o on o.row_id = i.value and o.run_id = (
        select max(e.run_id) from outcome e where e.row_id = i.value and e.run_id <= :runId)
      order by i.key`)
    .raw();

  function* states(run: RecordedRun, range?: RowRange): Generator<StatesOfBlock> {
    for (const { firstNumber, rowIds } of lists.blocks(run.listId, range)) {
      const waiting = openRowsOf(run).ids;
      const outcomes = statement.all({ runId: run.id, rowIds: JSON.stringify(rowIds) });
      yield {
        firstNumber,
        states: rowIds.map(
          (rowId, at) => `${waiting.has(rowId) ? 'open ' : ''}${outcomes[at]?.[0]}`,
        ),
        changedRuns: outcomes.map(([, changedRun]) => changedRun),
      };
    }
  }

  function* openRows(run: RecordedRun): Generator<OpenRowsOfBlock> {
    const waiting = openRowsOf(run).ids;
    for (const { firstNumber, rowIds } of lists.blocks(run.listId)) {
      yield { firstNumber, isOpen: rowIds.map((rowId) => waiting.has(rowId)) };
    }
  }
  return { states, openRows };
}
