import type { Database } from 'better-sqlite3';

export type SqlValue = string | number | Buffer | null;

/** Rows per statement. With one, half the time would go into calling SQLite. */
const portion = 32;

export type Statements = ReturnType<typeof statementsOn>;

/** Statements are prepared on first use, because a command needs only a few. */
export function statementsOn(db: Database) {
  const everyStatement: (() => unknown)[] = [];
  const lazily = <Prepared>(prepare: () => Prepared) => {
    let prepared: Prepared | undefined;
    const get = () => {
      prepared ??= prepare();
      return prepared;
    };
    everyStatement.push(get);
    return get;
  };
  const rowsOf = <Row>(sql: string) => lazily(() => db.prepare<unknown[], Row>(sql));
  const valuesOf = <Value>(sql: string) => lazily(() => db.prepare<unknown[], Value>(sql).pluck());
  return {
    db,
    prepareAll() {
      for (const prepare of everyStatement) prepare();
    },
    change<Params extends unknown[]>(sql: string) {
      const statement = rowsOf(sql);
      return (...params: Params) => statement().run(...params);
    },
    get<Row, Params extends unknown[] = unknown[]>(sql: string) {
      const statement = rowsOf<Row>(sql);
      return (...params: Params) => statement().get(...params);
    },
    all<Row, Params extends unknown[] = unknown[]>(sql: string) {
      const statement = rowsOf<Row>(sql);
      return (...params: Params) => statement().all(...params);
    },
    /** `Value` must include undefined if there may be no row. */
    value<Value, Params extends unknown[] = unknown[]>(sql: string) {
      const statement = valuesOf<Value>(sql);
      return (...params: Params) => statement().get(...params) as Value;
    },
    values<Value, Params extends unknown[] = unknown[]>(sql: string) {
      const statement = valuesOf<Value>(sql);
      return (...params: Params) => statement().all(...params);
    },
    inPortions<Result = never>(row: `(${string})`, sql: (rows: string) => string) {
      const prepare = (rows: number) => rowsOf<Result>(sql(Array(rows).fill(row).join(', ')));
      const [one, many] = [prepare(1), prepare(portion)];
      return (rows: readonly (readonly SqlValue[])[]) => {
        const results: Result[] = [];
        for (let at = 0; at < rows.length; ) {
          const isWhole = at + portion <= rows.length;
          const statement = isWhole ? many() : one();
          const end = isWhole ? at + portion : at + 1;
          // Not `flat`, which takes five times as long.
          const values: SqlValue[] = [];
          for (; at < end; at += 1) values.push(...(rows[at] ?? []));
          if (statement.reader) results.push(...statement.all(...values));
          else statement.run(...values);
        }
        return results;
      };
    },
  };
}
