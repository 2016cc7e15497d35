import Database from 'better-sqlite3';
import type { FlatRecord } from '../../../core/columns/columns.ts';
import type { FacetChoice } from '../api/rows.ts';
import { type FlatColumn, type FlatSource, personFlatColumns, personText } from './flat-row.ts';
import { wordsOf } from './fold.ts';

/** Which rows are wanted, and in which order. */
export interface Wanted {
  readonly search: string;
  readonly facets: FacetChoice;
  readonly sort?: { readonly column: string; readonly isDescending: boolean } | undefined;
}

/** A row as the flat table takes it over. */
export interface FlatEntry {
  readonly number: number;
  /** What the ledger's record was made of: equal for a row that is as it was. */
  readonly state: string;
  /** What is searched. */
  readonly text: string;
  readonly source: FlatSource;
}

/** The people of a company, and the rows that have found it. */
export interface CompanyPeople {
  readonly rows: readonly number[];
  readonly people: readonly FlatRecord[];
}

/** Grows when an entry holds anything else than before. */
const form = 5;
/** A column of the list with more values is no facet. */
const mostValues = 200;

export type FlatTable = ReturnType<typeof openFlatTable>;

/**
 * Opens the flat tables of a run, one line for each row and one for each person, in a SQLite file of their own. They
 * are empty where the file is new, of another run or of another form. One process at a time holds it, and nothing is
 * lost with it.
 */
export function openFlatTable(
  path: string,
  identity: string,
  columns: readonly FlatColumn<FlatSource>[],
) {
  const db = new Database(path, { timeout: 0 });
  try {
    db.pragma('locking_mode = exclusive');
    db.pragma('journal_mode = wal');
    // After a power cut the file may lack the last rows; they are taken over again.
    db.pragma('synchronous = normal');
    db.pragma('cache_size = -8000');
    const stored = columns.filter(({ read }) => read);
    const names = stored.map(({ sql }) => sql);
    db.transaction(() => prepare(db, JSON.stringify([form, names, identity]), names)).exclusive();
    return tableIn(db, columns);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The people stand beside how many each row has. They are filled anew under another name. */
const peopleTables = (end: string) => `
  drop table if exists people${end};
  drop table if exists row_people${end};
  create table people${end} (
    number integer primary key, first_row integer not null, found_by text not null,
    record text not null, text text not null, ${personFlatColumns.map(({ sql }) => sql).join(', ')}
  );
  create table row_people${end} (number integer primary key, people integer not null)`;

function prepare(db: Database.Database, identity: string, columns: readonly string[]): void {
  db.exec(
    `create table if not exists about (identity text not null, whole_at text, people_at text)`,
  );
  if (db.prepare(`select identity from about`).pluck().get() === identity) return;
  db.exec(`
    drop table if exists flat;
    create table flat (
      number integer primary key, state text not null, text text not null, ${columns.join(', ')}
    );
    ${peopleTables('')};
    delete from about`);
  db.prepare(`insert into about (identity) values (?)`).run(identity);
}

function tableIn(db: Database.Database, columns: readonly FlatColumn<FlatSource>[]) {
  const stored = columns.flatMap(({ read }) => read ?? []);
  const insert = db.prepare(
    `insert or replace into flat values (?, ?, ?, ${stored.map(() => '?').join(', ')})`,
  );
  const put = db.transaction((entries: readonly FlatEntry[]) => {
    for (const { number, state, text, source } of entries)
      insert.run(number, state, text, ...stored.map((read) => read(source)));
  });
  const states = db.prepare<[number, number], { number: number; state: string }>(
    `select number, state from flat where number > ? and number <= ?`,
  );
  const about = (column: 'whole_at' | 'people_at') =>
    db.prepare<[], string | null>(`select ${column} from about`).pluck().get() ?? null;
  let facetsOfList: readonly FlatColumn<FlatSource>[] | undefined;

  return {
    rows: queriesOn(db, 'flat', columns),
    people: queriesOn(db, 'people', personFlatColumns),
    put: (entries: readonly FlatEntry[]) => put.immediate(entries),
    /** The states of the rows after a number and up to another. */
    states: (after: number, upTo: number) =>
      new Map(states.all(after, upTo).map(({ number, state }) => [number, state])),
    get rowCount() {
      return db.prepare<[], number>(`select coalesce(max(number), 0) from flat`).pluck().get() ?? 0;
    },
    /** Where the run stood when all its rows, or all its people, had been looked at; null before. */
    get wholeAt() {
      return about('whole_at');
    },
    get peopleAt() {
      return about('people_at');
    },
    set wholeAt(token: string | null) {
      db.prepare(`update about set whole_at = ?`).run(token);
    },
    fillPeople: () => peopleFillerIn(db),
    /** Some people by their lines, in this order. */
    peopleAtLines(numbers: readonly number[]) {
      return asPeople(
        db
          .prepare<[string], StoredPerson>(
            `select p.* from json_each(?) i cross join people p on p.number = i.value order by i.key`,
          )
          .all(JSON.stringify(numbers)),
      );
    },
    /** The people after a line, as many as fit into memory at once. */
    peopleAfter(line: number) {
      return asPeople(
        db
          .prepare<[number], StoredPerson>(
            `select * from people where number > ? order by number limit 500`,
          )
          .all(line),
      );
    },
    /** How many people rows have. */
    peopleCounts(numbers: readonly number[]) {
      const counts = db.prepare<[string], { number: number; people: number }>(
        `select p.* from json_each(?) i cross join row_people p on p.number = i.value`,
      );
      const found = counts.all(JSON.stringify(numbers));
      return new Map(found.map(({ number, people }) => [number, people]));
    },
    /** The columns of the list with few values. They never change, so they are looked for once. */
    listFacets(): readonly FlatColumn<FlatSource>[] {
      facetsOfList ??= columns.filter(({ sql, isOfList }) => {
        if (!isOfList) return false;
        const values = db.prepare(
          `select count(*) from (select distinct ${sql} from flat limit ${mostValues + 1})`,
        );
        const count = Number(values.pluck().get());
        return count > 1 && count <= mostValues;
      });
      return facetsOfList;
    },
    [Symbol.dispose]: () => void db.close(),
  };
}

interface StoredPerson {
  readonly number: number;
  readonly first_row: number;
  readonly found_by: string;
  readonly record: string;
}

function asPeople(stored: readonly StoredPerson[]) {
  return stored.map(({ number, first_row: firstRow, found_by, record }) => ({
    number,
    firstRow,
    foundBy: JSON.parse(found_by) as number[],
    record: JSON.parse(record) as FlatRecord,
  }));
}

/** Fills the table of people anew; those before are shown until it is done. */
function peopleFillerIn(db: Database.Database) {
  db.exec(peopleTables('_next'));
  const marks = personFlatColumns.map(() => '?').join(', ');
  const insert = db.prepare(`insert into people_next values (null, ?, ?, ?, ?, ${marks})`);
  const insertCount = db.prepare(`insert or replace into row_people_next values (?, ?)`);
  const put = db.transaction((companies: readonly CompanyPeople[]) => {
    for (const { rows, people } of companies) {
      for (const row of rows) insertCount.run(row, people.length);
      for (const person of people) {
        const values = personFlatColumns.map(({ read }) => read?.(person) ?? null);
        const fixed = [rows[0], JSON.stringify(rows), JSON.stringify(person), personText(person)];
        insert.run(...fixed, ...values);
      }
    }
  });
  return {
    put: (companies: readonly CompanyPeople[]) => put.immediate(companies),
    end: db.transaction((token: string) => {
      db.exec(`
        drop table people;
        drop table row_people;
        alter table people_next rename to people;
        alter table row_people_next rename to row_people`);
      db.prepare(`update about set people_at = ?`).run(token);
    }),
  };
}

/** Questions to one of the two tables. */
function queriesOn(
  db: Database.Database,
  name: 'flat' | 'people',
  columns: readonly Omit<FlatColumn<never>, 'read'>[],
) {
  const byName = new Map(columns.map((column) => [column.name, column]));
  /** Rows that fit. */
  const where = ({ search, facets }: Pick<Wanted, 'search' | 'facets'>) => {
    const params: string[] = [];
    const tests = wordsOf(search).map((word) => {
      params.push(word);
      return 'instr(text, ?) > 0';
    });
    for (const [facet, chosen = []] of Object.entries(facets)) {
      if (chosen.length === 0) continue;
      const column = byName.get(facet);
      if (!column) {
        // The list of another run may have had this column. All rows would pass for the chosen ones.
        tests.push('false');
        continue;
      }
      params.push(JSON.stringify(chosen));
      tests.push(`${column.sql} in (select value from json_each(?))`);
    }
    return { sql: tests.length === 0 ? '' : `where ${tests.join(' and ')}`, params };
  };
  /** Rows without a value come last in both directions. */
  const orderOf = ({ sort }: Wanted) => {
    const column = sort && byName.get(sort.column);
    if (!column) return 'number';
    const by = column.sortedBy ?? column.sql;
    const direction = sort.isDescending ? 'desc' : 'asc';
    const isText = `${by} glob '*[^0-9.-]*'`;
    // Numbers of a list are texts, and are sorted as numbers, before other texts.
    const asNumber = `${isText}, iif(${isText}, null, cast(${by} as real)) ${direction},`;
    const first = column.isOfList ? asNumber : '';
    return `${by} is null, ${first} ${by} collate nocase ${direction}, number`;
  };
  return {
    has: (column: string) => byName.has(column),
    facets: columns.filter(({ isFacet }) => isFacet).map((column) => column.name),
    count(wanted: Wanted): number {
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
