import { isFoundByNameSql, type RegisterRow } from '../../../core/rules/next-candidate.ts';
import { type Statements, statementsOn } from '../statements.ts';
import type { Lists } from './lists.ts';

export function registerRowsIn({ db }: Statements, lists: Lists) {
  // On their own, because their table is not always there.
  const { change, get } = statementsOn(db);
  const put = change(`
    insert or replace into temp.register_row
    select r.key, r.cells, r.candidates, iif(:withAll, r.register, null)
    from json_each(:rowIds) i cross join row r on r.id = i.value
    where ${isFoundByNameSql('r.candidates')} or :withAll and r.register is not null`);
  const find = get<{ cells: string; candidates: string; register: string | null }>(
    `select cells, candidates, register from temp.register_row where key = ?`,
  );
  /** Rows by key: those that a name led to a company, or with `withAll`, all. */
  return (listId: number, withAll: boolean) => {
    // On disk, because a list may have millions of names.
    db.exec(`
      drop table if exists temp.register_row;
      create temp table register_row (
        key text primary key, cells text not null, candidates text not null, register text
      ) strict, without rowid`);
    for (const rows of lists.batches(listId)) {
      const rowIds = JSON.stringify(rows.map(({ rowId }) => rowId));
      put({ rowIds, withAll: Number(withAll) });
    }
    return (key: string): RegisterRow | undefined => {
      const row = find(key);
      return (
        row && {
          cells: JSON.parse(row.cells),
          candidates: JSON.parse(row.candidates),
          register: row.register === null ? undefined : JSON.parse(row.register),
        }
      );
    };
  };
}
