import type { RowsQuery } from '../api/rows.ts';
import { openTables, type TableOf } from './open-tables.ts';
import { type FacetsQuery, readFacets } from './read-facets.ts';
import { readColumns, readPage } from './read-page.ts';
import { findRows, type RowsTable, readRecords } from './read-records.ts';
import { type RowTerms, readWholeRow } from './whole-row.ts';

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
  /** Asks the table; where its index is found to be damaged, once more without it. */
  const ask = <Answer>(of: TableOf, question: (table: ReturnType<typeof tables.of>) => Answer) => {
    const table = tables.of(of);
    work();
    return table.followed.ask(() => question(table)) ?? question({ ...table, finder: undefined });
  };
  return {
    columns: ({ of }: { of: TableOf }) => readColumns(tables.of(of)),
    rows: ({ of, query }: { of: TableOf; query: RowsQuery }) =>
      ask(of, (table) => readPage(table, query)),
    find: ({ of, query }: { of: TableOf; query: RowsQuery }) =>
      ask(of, (table) => findRows(table, query)),
    records: ({ of, numbers, query, tables: wanted }: RecordsRequest) =>
      readRecords(tables.of(of), numbers, query, wanted),
    facets: ({ of, query }: { of: TableOf; query: FacetsQuery }) =>
      ask(of, (table) => readFacets(table, query)),
    row: ({ of, number, terms }: { of: TableOf; number: number; terms: RowTerms }) => {
      const { ledger, followed } = tables.of(of);
      return readWholeRow(ledger, followed.run, number, terms);
    },
    close: (_: null) => {
      clearInterval(looking);
      tables[Symbol.dispose]();
    },
  };
}
