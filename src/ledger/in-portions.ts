import type { Database, Statement } from 'better-sqlite3';

/** A value that SQLite holds as it is. */
export type SqlValue = string | number | Buffer | null;

/** With a statement for each row, half of the time goes into the way to SQLite and back. */
const portion = 32;

/**
 * Prepares a statement that takes rows of values, 32 at a time: `sql` is given the text of so many
 * rows, to stand behind `values`. Rows that are left over go one at a time.
 */
export function inPortions<Result = unknown>(
  db: Database,
  row: `(${string})`,
  sql: (rows: string) => string,
) {
  const prepare = (rows: number) =>
    db.prepare<SqlValue[], Result>(sql(Array(rows).fill(row).join(', ')));
  const [one, many] = [prepare(1), prepare(portion)];

  const eachPortion = (
    rows: readonly (readonly SqlValue[])[],
    use: (statement: Statement<SqlValue[], Result>, values: SqlValue[]) => void,
  ) => {
    let at = 0;
    for (; at + portion <= rows.length; at += portion) {
      // `flat` takes five times as long.
      const values: SqlValue[] = [];
      for (let row = at; row < at + portion; row += 1) values.push(...(rows[row] ?? []));
      use(many, values);
    }
    for (; at < rows.length; at += 1) use(one, [...(rows[at] ?? [])]);
  };
  return {
    run: (rows: readonly (readonly SqlValue[])[]) =>
      eachPortion(rows, (statement, values) => void statement.run(...values)),
    all(rows: readonly (readonly SqlValue[])[]) {
      const results: Result[] = [];
      eachPortion(rows, (statement, values) => void results.push(...statement.all(...values)));
      return results;
    },
  };
}
