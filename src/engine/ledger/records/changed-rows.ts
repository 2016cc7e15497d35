import type { Database } from 'better-sqlite3';
import type { ChangedRow, RecordedRun } from '../../../core/columns/run-records.ts';
import { IdSet } from '../../../core/values/id-set.ts';
import { pairs } from '../../../core/values/pairs.ts';
import type { Lists, NumberedRow } from '../rows/lists.ts';
import { runBeforeFailure } from '../rows/outcomes.ts';
import { type Statements, statementsOn } from '../statements.ts';
import type { RowRecords } from './row-records.ts';

export function changedRowsIn({ db, value, values }: Statements, lists: Lists) {
  // Plain ids, because a million objects would take ten times the memory.
  const outcomesSince = values<number>(
    `select row_id from outcome where run_id > ? and run_id <= ?`,
  );
  const lastKnown = value<number | null>(runBeforeFailure(':rowId'));
  const removed = removedRowsIn(db);

  /** A new row continues a removed row with the same cells, or else one with the same key. */
  const findContinued = (baseList: number, runList: number, baseIds: IdSet, runIds: IdSet) => {
    removed.clear();
    for (const batch of lists.batches(baseList, (id) => !runIds.has(id))) removed.add(batch);
    const continued = new IdSet();
    /** Removed rows with the same cells, but another number after `#` in the key. */
    const byNewKey = new Map<string, KeyedRow>();
    for (const batch of lists.batches(runList, (id) => !baseIds.has(id))) {
      for (const row of removed.withSameCells(batch)) {
        if (byNewKey.has(row.key) || continued.has(row.rowId)) continue;
        byNewKey.set(row.key, row);
        continued.add(row.rowId);
      }
    }
    return {
      has: (rowId: number) => continued.has(rowId),
      find(newKeys: readonly string[]): KeyedRow[] {
        const withSameCells = newKeys.flatMap((key) => byNewKey.get(key) ?? []);
        const others = removed
          .find(newKeys.filter((key) => !byNewKey.has(key)))
          .filter(({ rowId }) => !continued.has(rowId));
        for (const { rowId } of others) continued.add(rowId);
        return [...withSameCells, ...others];
      },
    };
  };

  /** In list order, removed rows last. */
  return function* (
    rows: RowRecords,
    base: RecordedRun,
    run: RecordedRun,
    throughFailures: boolean,
  ): Generator<ChangedRow> {
    const readBase = (numbered: readonly NumberedRow[]) =>
      [...rows.read(base, numbered)].map((row) => {
        const { rowId, record } = row;
        if (!throughFailures || record.status !== 'failed') return row;
        // A failure has no company to compare, so use the last published outcome.
        const id = lastKnown({ rowId, runId: base.id });
        if (id === null) return row;
        const [published] = rows.read({ ...base, id }, [{ rowId, number: record.number }]);
        return published ?? row;
      });
    const [baseIds, runIds] = [lists.rowIds(base.listId), lists.rowIds(run.listId)];
    const continued = findContinued(base.listId, run.listId, baseIds, runIds);
    const withNewOutcome = new IdSet();
    for (const rowId of outcomesSince(base.id, run.id)) withNewOutcome.add(rowId);
    const mayDiffer = (id: number) => withNewOutcome.has(id) || !baseIds.has(id);
    for (const batch of lists.batches(run.listId, mayDiffer)) {
      const same = readBase(batch.filter(({ rowId }) => baseIds.has(rowId)));
      const before = new Map(same.map((row) => [row.record.key, row]));
      const rowsAfter = [...rows.read(run, batch)];
      const newKeys = rowsAfter.map(({ record }) => record.key).filter((key) => !before.has(key));
      const earlier = continued.find(newKeys);
      for (const [{ key }, row] of pairs(earlier, readBase(earlier))) before.set(key, row);
      for (const after of rowsAfter) {
        const { key } = after.record;
        yield { key, before: before.get(key), after };
      }
    }
    const isRemoved = (id: number) => !runIds.has(id) && !continued.has(id);
    for (const batch of lists.batches(base.listId, isRemoved)) {
      for (const before of readBase(batch)) {
        yield { key: before.record.key, before, after: undefined };
      }
    }
  };
}

interface KeyedRow extends NumberedRow {
  readonly key: string;
}

/** Removes `#2`, `#3` from a key. */
const baseOf = (key: string) => `case when ${key} glob '*#[0-9]*'
  and rtrim(${key}, '0123456789') glob '*#'
  then substr(rtrim(${key}, '0123456789'), 1, length(rtrim(${key}, '0123456789')) - 1)
  else ${key} end`;

function removedRowsIn(db: Database) {
  const { change, all } = statementsOn(db);
  const clear = change(`delete from temp.removed_row`);
  const add = change(`
    insert or replace into temp.removed_row (key, base, row_id, number)
    select r.key, ${baseOf('r.key')}, r.id, i.value ->> 'number'
    from json_each(?) i cross join row r on r.id = i.value ->> 'rowId'`);
  const find = all<KeyedRow>(`
    select key, row_id as rowId, number from temp.removed_row
    where key in (select value from json_each(?))`);
  const withSameCells = all<KeyedRow>(`
    select r.key, d.row_id as rowId, d.number
    from json_each(?) i cross join row r on r.id = i.value ->> 'rowId'
    cross join temp.removed_row d on d.base = ${baseOf('r.key')} and d.key <> r.key
    cross join row e on e.id = d.row_id and e.cells = r.cells`);
  return {
    clear() {
      db.exec(`
        create temp table if not exists removed_row (
          key text primary key,
          base text not null,
          row_id integer not null,
          number integer not null
        ) strict;
        create index if not exists temp.removed_row_base on removed_row (base)`);
      clear();
    },
    add: (rows: readonly NumberedRow[]) => void add(JSON.stringify(rows)),
    find: (keys: readonly string[]) => find(JSON.stringify(keys)),
    withSameCells: (rows: readonly NumberedRow[]) => withSameCells(JSON.stringify(rows)),
  };
}
