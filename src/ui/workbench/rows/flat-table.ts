import Database from 'better-sqlite3';
import type { FlatRecord } from '../../../core/columns/columns.ts';
import type { RowsQuery } from '../api/rows.ts';
import {
  type FlatColumn,
  type FlatSource,
  flatColumns,
  personFlatColumns,
  personText,
  searchText,
} from './flat-row.ts';
import { wordsOf } from './fold.ts';

/** Which rows are wanted, and in which order. */
export type Wanted = Pick<RowsQuery, 'search' | 'facets' | 'sort' | 'descending'>;

/** The people of a company, and the rows that have found it. */
export interface CompanyPeople {
  readonly rows: readonly number[];
  readonly people: readonly FlatRecord[];
}

/** A column of the list with more values is no facet. */
const mostValues = 200;

export type FlatTable = ReturnType<typeof openFlatTable>;

/**
 * Opens the empty flat tables of a run: one line for each row, and one for each person. They are in a temporary file,
 * which SQLite removes by itself.
 */
export function openFlatTable(headers: readonly string[]) {
  const db = new Database('');
  // A table that cannot be written is thrown away.
  db.pragma('journal_mode = off');
  db.pragma('cache_size = -8000');
  const columns = flatColumns(headers);
  const textOf = searchText(headers);
  const names = columns.map(({ sql }) => sql);
  db.exec(`create table rows (number integer primary key, text text, ${names.join(', ')})`);
  createPeople(db, 'people');
  const insert = db.prepare(
    `insert or replace into rows values (?, ?, ${names.map(() => '?').join(', ')})`,
  );
  const people = (where: string) =>
    db.prepare<[string | number], StoredPerson>(`select p.* from ${where}`);
  const peopleOfLines = people(
    'json_each(?) i cross join people p on p.number = i.value order by i.key',
  );
  let facetsOfList: readonly string[] | undefined;

  return {
    rows: queriesOn(db, 'rows', columns),
    people: queriesOn(db, 'people', personFlatColumns),
    put: db.transaction((sources: readonly FlatSource[]) => {
      for (const source of sources) {
        const { row } = source;
        insert.run(row.row.number, textOf(row), ...columns.map(({ read }) => read(source)));
      }
    }),
    /** Rows that may come to another outcome while their run goes on. */
    unsettled: () =>
      db
        .prepare<[], number>(
          `select number from rows where status in ('open', 'failed') or stale is not null`,
        )
        .pluck()
        .all(),
    fillPeople: () => peopleFillerIn(db),
    /** Some people by their lines, in this order. */
    peopleAt: (lines: readonly number[]) => peopleOfLines.all(JSON.stringify(lines)).map(asPerson),
    /** The number of people that rows have found. */
    peopleCounts(numbers: readonly number[]) {
      const counts = db.prepare<[string], { number: number; people: number | null }>(
        `select r.number, r.people from json_each(?) i cross join rows r on r.number = i.value`,
      );
      const found = counts.all(JSON.stringify(numbers));
      return new Map(found.map(({ number, people }) => [number, people]));
    },
    /** The columns of the list with few values. They never change, so they are looked for once. */
    listFacets(): readonly string[] {
      facetsOfList ??= columns
        .filter(({ isOfList }) => isOfList)
        .filter(({ sql }) => {
          const values = `select distinct ${sql} from rows limit ${mostValues + 1}`;
          const count = Number(db.prepare(`select count(*) from (${values})`).pluck().get());
          return count > 1 && count <= mostValues;
        })
        .map(({ name }) => name);
      return facetsOfList;
    },
    [Symbol.dispose]: () => void db.close(),
  };
}

interface StoredPerson {
  readonly first_row: number;
  readonly found_by: string;
  readonly record: string;
}

const asPerson = ({ first_row, found_by, record }: StoredPerson) => ({
  firstRow: first_row,
  foundBy: JSON.parse(found_by) as number[],
  record: JSON.parse(record) as FlatRecord,
});

function createPeople(db: Database.Database, name: string): void {
  const columns = personFlatColumns.map(({ sql }) => sql).join(', ');
  db.exec(`
    drop table if exists ${name};
    create table ${name} (
      number integer primary key, first_row integer, found_by text, record text, text text, ${columns}
    )`);
}

/** Fills the table of people anew; those before are shown until it is done. */
function peopleFillerIn(db: Database.Database) {
  createPeople(db, 'people_next');
  const marks = personFlatColumns.map(() => '?').join(', ');
  const insert = db.prepare(`insert into people_next values (null, ?, ?, ?, ?, ${marks})`);
  const setCount = db.prepare(`update rows set people = ? where number = ?`);
  return {
    put: db.transaction((companies: readonly CompanyPeople[]) => {
      for (const { rows, people } of companies) {
        for (const row of rows) setCount.run(people.length, row);
        for (const person of people) {
          const values = personFlatColumns.map(({ read }) => read(person));
          const fixed = [rows[0], JSON.stringify(rows), JSON.stringify(person), personText(person)];
          insert.run(...fixed, ...values);
        }
      }
    }),
    end: () => db.exec(`drop table people; alter table people_next rename to people`),
  };
}

/** Questions to one of the two tables. */
function queriesOn(
  db: Database.Database,
  name: 'rows' | 'people',
  columns: readonly Omit<FlatColumn<never>, 'read'>[],
) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  /** Rows that fit. */
  const where = ({ search, facets }: Pick<Wanted, 'search' | 'facets'>) => {
    const chosen = Object.entries(facets).filter(([, values]) => values.length > 0);
    const words = wordsOf(search);
    const tests = [
      ...words.map(() => 'instr(text, ?) > 0'),
      // The list of another run may have had the column. All rows would pass for the chosen ones.
      ...chosen.map(([facet]) => `${byName.get(facet)?.sql} in (select value from json_each(?))`),
    ];
    const isKnown = chosen.every(([facet]) => byName.has(facet));
    return {
      sql: isKnown
        ? tests.map((test, at) => `${at === 0 ? 'where' : 'and'} ${test}`).join(' ')
        : 'where false',
      params: isKnown ? [...words, ...chosen.map(([, values]) => JSON.stringify(values))] : [],
    };
  };
  /** Rows without a value come last in both directions. */
  const orderOf = ({ sort = '', descending }: Wanted) => {
    const column = byName.get(sort);
    if (!column) return 'number';
    const by = column.sortedBy ?? column.sql;
    const direction = descending ? 'desc' : 'asc';
    const isText = `${by} glob '*[^0-9.-]*'`;
    // Numbers of a list are texts, and are sorted as numbers, before other texts.
    const asNumber = `${isText}, iif(${isText}, null, cast(${by} as real)) ${direction},`;
    const first = column.isOfList ? asNumber : '';
    return `${by} is null, ${first} ${by} collate nocase ${direction}, number`;
  };
  return {
    facets: columns.filter(({ isFacet }) => isFacet).map((column) => column.name),
    count(wanted: Pick<Wanted, 'search' | 'facets'>): number {
      const { sql, params } = where(wanted);
      const counted = db.prepare<string[], number>(`select count(*) from ${name} ${sql}`);
      return counted.pluck().get(...params) ?? 0;
    },
    /** The numbers of the rows in their order. */
    find(wanted: Wanted, offset = 0, limit = -1): number[] {
      const { sql, params } = where(wanted);
      return db
        .prepare<unknown[], number>(
          `select number from ${name} ${sql} order by ${orderOf(wanted)} limit ? offset ?`,
        )
        .pluck()
        .all(...params, limit, offset);
    },
    /** Rows by facet and value: those that fit the search and all other facets. */
    counts(names: readonly string[], { search, facets }: Pick<Wanted, 'search' | 'facets'>) {
      const counts = names.map(() => new Map<string, number>());
      const chosen = names.map((facet) => facets[facet] ?? []);
      const { sql, params } = where({ search, facets: {} });
      const list = names.map((facet) => byName.get(facet)?.sql ?? 'null').join(', ');
      const groups = db
        .prepare<string[], (string | number | null)[]>(
          `select ${list}, count(*) from ${name} ${sql} group by ${list}`,
        )
        .raw();
      for (const group of groups.iterate(...params)) {
        const rows = Number(group.at(-1));
        const misfits = chosen.flatMap((values, at) =>
          values.length === 0 || values.includes(String(group[at])) ? [] : [at],
        );
        if (misfits.length > 1) continue;
        for (const at of misfits.length === 1 ? misfits : names.keys()) {
          const value = group[at];
          if (value === null || value === undefined) continue;
          const known = counts[at]?.get(String(value)) ?? 0;
          counts[at]?.set(String(value), known + rows);
        }
      }
      return counts;
    },
  };
}
