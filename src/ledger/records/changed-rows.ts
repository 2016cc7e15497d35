import type { Database } from 'better-sqlite3';
import { IdSet } from '../../runtime/id-set.ts';
import type { Lists, NumberedRow } from '../rows/lists.ts';
import { runBeforeFailure } from '../rows/outcomes.ts';
import type { ChangedRow, ChangedSide, HowToLook, RecordedRun } from '../run-records.ts';
import { type Statements, statementsOn } from '../statements.ts';
import type { ReadJson } from './record-parts.ts';
import type { RowRecords } from './row-records.ts';

const rowsInBatch = 500;

/** Finds the rows that may differ between two runs of a job. */
export function changedRowsIn({ db, value, values }: Statements, lists: Lists, rows: RowRecords) {
  // Plain numbers: a million objects would take ten times as much memory.
  const outcomesSince = values<[after: number, upTo: number], number>(
    `select row_id from outcome where run_id > ? and run_id <= ?`,
  );
  const lastKnown = value<[{ rowId: number; runId: number }], number | null>(
    runBeforeFailure(':rowId'),
  );
  let table: ReturnType<typeof openRemovedRows> | undefined;

  const idsOf = ({ listId }: RecordedRun): IdSet => {
    const ids = new IdSet();
    for (const { rowIds } of lists.blocks(listId)) for (const id of rowIds) ids.add(id);
    return ids;
  };

  /** What a failure says nothing about: the row as it stood before; itself where nothing did. */
  const beforeFailure = (base: RecordedRun, side: ChangedSide, readJson: ReadJson): ChangedSide => {
    const { rowId, record } = side;
    if (record.status !== 'failed') return side;
    const id = lastKnown({ rowId, runId: base.id });
    if (id === null) return side;
    return rows.sides({ ...base, id }, readJson, [{ rowId, number: record.number }])[0] ?? side;
  };

  /** In the order of the list; rows that were removed come last. Nothing is read of rows that are as they were. */
  return function* (
    base: RecordedRun,
    run: RecordedRun,
    readJson: ReadJson,
    { throughFailures = false }: HowToLook,
  ): Generator<ChangedRow> {
    const sidesOfBase = (numbered: readonly NumberedRow[]) => {
      const sides = rows.sides(base, readJson, numbered);
      return throughFailures ? sides.map((side) => beforeFailure(base, side, readJson)) : sides;
    };
    const touched = new IdSet();
    for (const rowId of outcomesSince(base.id, run.id)) touched.add(rowId);
    const baseIds = idsOf(base);
    table ??= openRemovedRows(db);
    const removed = table;
    removed.clear();
    if (base.listId !== run.listId) {
      const runIds = idsOf(run);
      for (const batch of batchesOf(lists, base, (id) => !runIds.has(id))) removed.add(batch);
    }
    for (const batch of batchesOf(lists, run, (id) => touched.has(id) || !baseIds.has(id))) {
      const after = rows.sides(run, readJson, batch);
      const same = batch.filter(({ rowId }) => baseIds.has(rowId));
      const before = new Map(sidesOfBase(same).map((side) => [side.record.key, side]));
      const other = removed.take(
        after.map(({ record }) => record.key).filter((key) => !before.has(key)),
      );
      for (const side of sidesOfBase(other)) before.set(side.record.key, side);
      for (const side of after) {
        const { key } = side.record;
        yield { key, before: before.get(key), after: side };
      }
    }
    let left: NumberedRow[];
    do {
      left = removed.takeAny(rowsInBatch);
      for (const side of sidesOfBase(left)) {
        yield { key: side.record.key, before: side, after: undefined };
      }
    } while (left.length === rowsInBatch);
  };
}

function* batchesOf(
  lists: Lists,
  { listId }: RecordedRun,
  isMeant: (rowId: number) => boolean,
): Generator<NumberedRow[]> {
  for (const { firstNumber, rowIds } of lists.blocks(listId)) {
    const rows = rowIds
      .map((rowId, index) => ({ rowId, number: firstNumber + index }))
      .filter(({ rowId }) => isMeant(rowId));
    for (let at = 0; at < rows.length; at += rowsInBatch) yield rows.slice(at, at + rowsInBatch);
  }
}

/** Rows of the earlier list that the later one does not have as they were, by their keys. */
function openRemovedRows(db: Database) {
  db.exec(`
    create temp table if not exists removed_row (
      key text primary key,
      row_id integer not null,
      number integer not null
    ) strict`);
  const { run, all } = statementsOn(db);
  const columns = `row_id as rowId, number`;
  const add = run<[rows: string]>(`
    insert or replace into temp.removed_row (key, row_id, number)
    select r.key, r.id, i.value ->> 'number'
    from json_each(?) i cross join row r on r.id = i.value ->> 'rowId'`);
  const take = all<[keys: string], NumberedRow>(`
    delete from temp.removed_row where key in (select value from json_each(?))
    returning ${columns}`);
  const takeAny = all<[limit: number], NumberedRow>(`
    delete from temp.removed_row where rowid in (
      select rowid from temp.removed_row order by number limit ?)
    returning ${columns}`);
  return {
    clear: run<[]>(`delete from temp.removed_row`),
    add: (rows: readonly NumberedRow[]) => void add(JSON.stringify(rows)),
    take: (keys: readonly string[]) => take(JSON.stringify(keys)),
    takeAny: (limit: number) => takeAny(limit).sort((one, other) => one.number - other.number),
  };
}
