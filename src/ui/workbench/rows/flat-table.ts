import Database from 'better-sqlite3';
import {
  type Cell,
  type Column,
  type FlatRecord,
  namesIn,
  positionOf,
} from '../../../core/columns/columns.ts';
import type { RecordedRow } from '../../../core/columns/run-records.ts';
import { inputColumns, peopleColumns } from '../../../core/columns/table-columns.ts';
import { companiesColumns, type FlatRow, flattenRow } from '../../../core/columns/tables.ts';
import { foldText } from '../../words/fold-text.ts';
import { mostFacetValues } from '../../words/limits.ts';
import type { RowsQuery } from '../api/requests.ts';

export type Wanted = Narrowed & Pick<RowsQuery, 'sort' | 'descending'>;
type Narrowed = Pick<RowsQuery, 'search' | 'facets'>;

/** `rows` are the rows that found this company. */
export interface CompanyPeople {
  readonly rows: readonly number[];
  readonly people: readonly FlatRecord[];
}

export type FlatTable = ReturnType<typeof openFlatTable>;

/** The table is a temporary file that SQLite removes. */
export function openFlatTable(headers: readonly string[]) {
  const db = new Database('');
  // Needs no journal: after a failed write the table is thrown away.
  db.pragma('journal_mode = off');
  db.pragma('cache_size = -8000');
  const columns = flatColumns(headers);
  const textOf = searchText(headers);
  db.exec(`create table rows (number integer primary key, text text, ${listed(columns)})`);
  createPeople(db, 'people');
  const insert = db.prepare(
    `insert or replace into rows values (?, ?, ${columns.map(() => '?').join(', ')})`,
  );
  const peopleOfLines = db.prepare<[string], { firstRow: number; foundBy: string; record: string }>(
    `select p.first_row as firstRow, p.found_by as foundBy, p.record
      from json_each(?) i cross join people p on p.number = i.value order by i.key`,
  );
  let facetsOfList: readonly string[] | undefined;

  return {
    rows: queriesOn(db, 'rows', columns),
    people: queriesOn(db, 'people', personFlatColumns),
    put: db.transaction((recorded: readonly RecordedRow[]) => {
      for (const row of recorded) {
        const flat = flattenRow(row.record);
        const source = { ...row, row: flat.row, cells: flat.cells };
        const values = columns.map(({ read }) => read(source));
        insert.run(row.record.number, textOf(source), ...values);
      }
    }),
    unsettled: () =>
      db
        .prepare<[], number>(
          `select number from rows where status in ('open', 'failed') or stale is not null`,
        )
        .pluck()
        .all(),
    fillPeople: () => peopleFillerIn(db),
    peopleAt: (lines: readonly number[]) =>
      peopleOfLines.all(JSON.stringify(lines)).map(({ firstRow, foundBy, record }) => ({
        firstRow,
        foundBy: JSON.parse(foundBy) as number[],
        record: JSON.parse(record) as FlatRecord,
      })),
    factsAt(numbers: readonly number[]) {
      const found = db.prepare<
        [string],
        { number: number; people: number | null; changed: string | null }
      >(
        `select r.number, r.people, r.changed from json_each(?) i cross join rows r on r.number = i.value`,
      );
      return new Map(found.all(JSON.stringify(numbers)).map((facts) => [facts.number, facts]));
    },
    markChanged: db.prepare(`update rows set changed = 'yes' where number = ?`),
    /** Cells of the list never change, so its facets are found once. */
    listFacets(): readonly string[] {
      const size = Number(db.prepare('select count(*) from rows').pluck().get());
      facetsOfList ??= columns
        .map(({ name }) => name)
        .filter(isOfList)
        .filter((name) => {
          const values = `select distinct "${name}" from rows limit ${mostFacetValues + 1}`;
          const count = Number(db.prepare(`select count(*) from (${values})`).pluck().get());
          // Different values in all rows, such as names, are no groups.
          return count > 1 && count < size && count <= mostFacetValues;
        });
      return facetsOfList;
    },
    [Symbol.dispose]: () => void db.close(),
  };
}

function createPeople(db: Database.Database, name: string) {
  db.exec(`
    drop table if exists ${name};
    create table ${name} (
      number integer primary key, first_row integer, found_by text, record text, text text,
      ${listed(personFlatColumns)}
    )`);
}

/** The previous people stay visible until the new table is complete. */
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
          const text = folded(person.filter((_, at) => searchedOfPerson[at]));
          const fixed = [rows[0], JSON.stringify(rows), JSON.stringify(person), text];
          insert.run(...fixed, ...values);
        }
      }
    }),
    end: () => db.exec(`drop table people; alter table people_next rename to people`),
  };
}

function queriesOn(db: Database.Database, name: 'rows' | 'people', columns: NamedColumns) {
  const known = new Set(columns.map((column) => column.name));
  const sqlOf = (column: string) => (known.has(column) ? `"${column}"` : 'null');
  const where = ({ search, facets }: Narrowed) => {
    const chosen = Object.entries(facets).filter(([, values]) => values.length > 0);
    const words = [...new Set(foldText(search).split(' '))].filter(Boolean).slice(0, mostWords);
    const tests = [
      'where true',
      ...words.map(() => 'instr(text, ?) > 0'),
      // A column that this run lacks is blank in every row.
      ...chosen.map(([facet]) => `ifnull(${sqlOf(facet)}, '') in (select value from json_each(?))`),
    ];
    const params = [...words, ...chosen.map(([, values]) => JSON.stringify(values))];
    return { sql: tests.join(' and '), params };
  };
  /** Rows without a value come last in both directions. */
  const orderOf = ({ sort = '', descending }: Wanted) => {
    if (!known.has(sort)) return 'number';
    const by = sqlOf(sort);
    const direction = descending ? 'desc' : 'asc';
    const digits = `replace(${by}, ',', '')`;
    const isText = `${digits} glob '*[^0-9. +-]*'`;
    // Text such as `1,001-5,000` is sorted by its first number, before other text.
    const asNumber = `${isText}, iif(${isText}, null, cast(${digits} as real)) ${direction},`;
    const first = isOfList(sort) || sort === sizeColumn ? asNumber : '';
    return `${by} is null, ${first} ${by} collate nocase ${direction}, number`;
  };
  return {
    facets: facetNames(columns),
    count(wanted: Narrowed): number {
      const { sql, params } = where(wanted);
      const counted = db.prepare<string[], number>(`select count(*) from ${name} ${sql}`);
      return counted.pluck().get(...params) ?? 0;
    },
    find(wanted: Wanted, offset = 0, limit = -1): number[] {
      const { sql, params } = where(wanted);
      return db
        .prepare<unknown[], number>(
          `select number from ${name} ${sql} order by ${orderOf(wanted)} limit ? offset ?`,
        )
        .pluck()
        .all(...params, limit, offset);
    },
    /** Counts the values of each facet, in rows that match the search and all other facets. */
    counts(names: readonly string[], { search, facets }: Narrowed) {
      const counts = names.map(() => new Map<string, number>());
      const chosen = names.flatMap((facet, at) =>
        facets[facet]?.length ? [{ at, values: facets[facet] }] : [],
      );
      const step = (_: null, ...row: FlatValue[]) => {
        const misfits = chosen.filter(({ at, values }) => !values.includes(String(row[at] ?? '')));
        for (const [at, rows] of counts.entries()) {
          const fitsOtherFacets = misfits.every((misfit) => misfit.at === at);
          const value = String(row[at] ?? '');
          // Blank cells of the list can be filtered, too.
          const isValue = value !== '' || isOfList(names[at] ?? '');
          if (fitsOtherFacets && isValue) rows.set(value, 1 + (rows.get(value) ?? 0));
        }
        return null;
      };
      // `group by` all facets would sort every row, which takes two to five times as long.
      db.aggregate('count_values', { varargs: true, start: null, step });
      const { sql, params } = where({ search, facets: {} });
      db.prepare(`select count_values(${names.map(sqlOf).join(', ')}) from ${name} ${sql}`).get(
        ...params,
      );
      return counts;
    },
  };
}

const facetNames = (columns: NamedColumns) =>
  columns.filter(({ isFacet }) => isFacet).map(({ name }) => name);

const listed = (columns: NamedColumns) => columns.map(({ name }) => `"${name}"`).join(', ');

export const sizeColumn = 'company_company_size';

const isOfList = (name: string) => name.startsWith('input_');

type FlatValue = string | number | null;

interface FlatColumn<Source> {
  /** Column name in companies.* or people.*, or `mismatch`, `changed`, `people`. */
  readonly name: string;
  readonly isFacet?: boolean;
  readonly read: (source: Source) => FlatValue;
}

type NamedColumns = readonly Omit<FlatColumn<never>, 'read'>[];

type FlatSource = FlatRow & RecordedRow;

const searchedOfCompany = namesIn(
  'identifier company_id company_name company_fqdn company_network company_hq_location',
  'company_industry_codes_abn company_industry_codes_acn company_industry_codes_nzbn',
  'company_industry_codes_uen',
);

/** A search reads these columns and the row key. */
const isSearched = ({ name }: Pick<Column, 'name'>) =>
  isOfList(name) || searchedOfCompany.includes(name);

const facets = namesIn(`status reason matched_by country ${sizeColumn} stale`);
const sorted = namesIn(
  'row_number row_key identifier match fetched_at people_complete company_name',
  'company_fqdn company_employee_count company_year_founded company_hq_location',
  'company_hq_country company_company_type',
);

/** Further columns of the list cannot be sorted or filtered: SQLite allows 2,000 in a table. */
const mostListColumns = 500;

export function flatColumns(headers: readonly string[]): FlatColumn<FlatSource>[] {
  const columns = companiesColumns(headers);
  return [
    ...[...facets, ...sorted].map((name) => {
      const at = positionOf(columns, name);
      const read = ({ cells }: FlatSource) => asValue(cells[at] ?? null);
      return { name, isFacet: facets.includes(name), read };
    }),
    // Empty if the job has one service.
    { name: 'service', isFacet: true, read: ({ row }) => asValue(row.service ?? null) },
    { name: 'mismatch', isFacet: true, read: ({ row }) => asValue(row.match === 'mismatch') },
    // Set when the runs are compared.
    { name: 'changed', isFacet: true, read: () => null },
    // Sorted by run, because the time is known only when the run ends.
    { name: 'changed_at', read: ({ changedRun }) => changedRun },
    // Set when the people are read.
    { name: 'people', read: () => null },
    ...inputColumns(headers)
      .slice(0, mostListColumns)
      .map(({ name }, at) => ({
        name,
        read: ({ row }: FlatSource) => asValue(row.cells[at] ?? null),
      })),
  ];
}

function searchText(headers: readonly string[]): (row: FlatRow) => string {
  const isSearchedAt = companiesColumns(headers).map(isSearched);
  return ({ row, cells }) => folded([row.key, ...cells.filter((_, at) => isSearchedAt[at])]);
}

const personFacets = namesIn(
  'seniority_name department_name country has_email has_phone has_mobile',
);
const personSorted = namesIn(
  'list_company list_key company_name position network fetched_at changed_at',
);

export const personFlatColumns: readonly FlatColumn<FlatRecord>[] = [
  ...personFacets,
  ...personSorted,
].map((name) => {
  const at = positionOf(peopleColumns, name);
  const isFacet = personFacets.includes(name);
  return { name, isFacet, read: (person) => asValue(person[at] ?? null) };
});

const isSearchedOfPerson = ({ name, type }: Pick<Column, 'name' | 'type'>) =>
  (type === 'text' || type === 'list') && name !== 'country';
const searchedOfPerson = peopleColumns.map(isSearchedOfPerson);

function folded(cells: readonly Cell[]) {
  return foldText(cells.map((value) => String(value ?? '')).join(' '));
}

function asValue(cell: Cell): FlatValue {
  if (typeof cell === 'boolean') return cell ? 'yes' : null;
  if (typeof cell === 'number') return cell;
  return (Array.isArray(cell) ? cell.join(', ') : String(cell ?? '')).trim() || null;
}

/** Further words of a search are ignored, because SQLite limits how deep conditions nest. */
const mostWords = 100;
