import type { FacetsQuery, RowsQuery } from '../api/rows.ts';
import { openTables, type TableOf } from './open-tables.ts';
import {
  findRows,
  type RowsTable,
  readColumns,
  readFacets,
  readFixable,
  readPage,
  readRecords,
} from './read-page.ts';
import { readWholeRow } from './whole-row.ts';

export type TableVerbs = ReturnType<typeof serve>;

interface RecordsRequest {
  readonly of: TableOf;
  readonly numbers: readonly number[];
  readonly query: RowsQuery;
  readonly tables: readonly RowsTable[];
}

/** How often runs that go on are looked at. */
const lookEveryMs = 400;

/** The tables of runs, in a thread of their own: what they take of time, no other request waits for. */
export function serve() {
  const tables = openTables();
  const looking = setInterval(() => {
    tables.look();
    work();
  }, lookEveryMs);
  let isWorking = false;
  const work = () => {
    if (isWorking) return;
    isWorking = true;
    // Requests come in between portions.
    setImmediate(() => {
      isWorking = false;
      if (tables.step()) work();
    });
  };
  /** Asks the table; where the flat one is found to be damaged, once more without it. */
  const ask = <Answer>(of: TableOf, question: (table: ReturnType<typeof tables.of>) => Answer) => {
    const table = tables.of(of);
    work();
    return table.followed.ask(() => question(table)) ?? question(table);
  };
  return {
    columns: ({ of, query }: { of: TableOf; query: Pick<RowsQuery, 'table'> }) =>
      readColumns(tables.of(of), query),
    rows: ({ of, query }: { of: TableOf; query: RowsQuery }) =>
      ask(of, (table) => readPage(table, query)),
    find: ({ of, query }: { of: TableOf; query: RowsQuery }) =>
      ask(of, (table) => findRows(table, query)),
    records: ({ of, numbers, query, tables: wanted }: RecordsRequest) =>
      readRecords(tables.of(of), numbers, query, wanted),
    fixable: ({ of, numbers }: { of: TableOf; numbers: readonly number[] }) =>
      readFixable(tables.of(of), numbers),
    facets: ({ of, query }: { of: TableOf; query: FacetsQuery }) =>
      ask(of, (table) => readFacets(table, query)),
    row: ({ of, number }: { of: TableOf; number: number }) => readWholeRow(tables.of(of), number),
    /** The people after a line of their table, and how far that has come. */
    people: ({ of, after }: { of: TableOf; after: number }) =>
      ask(of, ({ followed }) => ({
        index: followed.state(true),
        people: followed.table?.peopleAfter(after) ?? [],
      })),
    close: (_: null) => {
      clearInterval(looking);
      tables[Symbol.dispose]();
    },
  };
}
