import {
  type Cell,
  type Column,
  type FlatRecord,
  positionOf,
} from '../../../core/columns/columns.ts';
import { inputColumns, peopleColumns } from '../../../core/columns/table-columns.ts';
import { companiesColumns, type FlatRow } from '../../../core/columns/tables.ts';
import { fold } from './fold.ts';

/** A value of the flat table. */
export type FlatValue = string | number | null;

/** A column of the flat table: rows are sorted by it and may be narrowed by its values. */
export interface FlatColumn<Source> {
  /** As in companies.* and people.*, or `mismatch`, `changed` and `people`. */
  readonly name: string;
  /** In the file: a column, or what gives its value. */
  readonly sql: string;
  /** What rows are sorted by, if not by the column itself. */
  readonly sortedBy?: string;
  readonly isFacet?: boolean;
  /** The list's own. */
  readonly isOfList?: true;
  /** Absent where the value is not stored. */
  readonly read?: (source: Source) => FlatValue;
}

/** A row of the list, and whether it differs from the run before. */
export interface FlatSource {
  readonly row: FlatRow;
  readonly isChanged: boolean;
}

/** What is searched besides the row's key and its own cells. */
const searched = [
  'identifier',
  'company_id',
  'company_name',
  'company_fqdn',
  'company_network',
  'company_hq_location',
  'company_industry_codes_abn',
  'company_industry_codes_acn',
  'company_industry_codes_nzbn',
  'company_industry_codes_uen',
];

const facets = ['status', 'reason', 'matched_by', 'country', 'company_company_size', 'stale'];
const sorted = [
  ...['row_number', 'row_key', 'identifier', 'match', 'fetched_at', 'changed_at'],
  ...['people_complete', 'company_name', 'company_fqdn', 'company_employee_count'],
  ...['company_year_founded', 'company_hq_location', 'company_hq_country', 'company_company_type'],
];

/** Columns of the list that rows are sorted and narrowed by. SQLite has no more than 2,000. */
const mostOwn = 500;

/** How many people were found for a row. */
const peopleCount = '(select people from row_people p where p.number = flat.number)';

export function flatColumns(headers: readonly string[]): FlatColumn<FlatSource>[] {
  const columns = companiesColumns(headers);
  const cellOf = (name: string) => {
    const at = positionOf(columns, name);
    return ({ row: { cells } }: FlatSource) => cells[at] ?? null;
  };
  const sizeOf = cellOf('company_company_size');
  const ours = [...facets, ...sorted].map((name): FlatColumn<FlatSource> => {
    const cell = cellOf(name);
    return {
      name,
      sql: name,
      isFacet: facets.includes(name),
      ...(name === 'company_company_size' && { sortedBy: 'size_from' }),
      read: (source) => asValue(cell(source)),
    };
  });
  const plain = (
    name: string,
    isFacet: boolean,
    read: (source: FlatSource) => FlatValue,
  ): FlatColumn<FlatSource> => ({ name, sql: name, isFacet, read });
  const own = inputColumns(headers).slice(0, mostOwn);
  return [
    ...ours,
    plain('mismatch', true, ({ row }) => yes(isMismatch(row.row))),
    plain('changed', true, ({ isChanged }) => yes(isChanged)),
    plain('size_from', false, (source) => bandStart(sizeOf(source))),
    { name: 'people', sql: peopleCount },
    ...own.map(
      ({ name }, at): FlatColumn<FlatSource> => ({
        name,
        sql: `cell_${at}`,
        isOfList: true,
        read: ({ row: { row } }) => asValue(row.cells[at] ?? null),
      }),
    ),
  ];
}

/** Gives the text of a row that is searched, without upper case and accents. */
export function searchText(headers: readonly string[]): (row: FlatRow) => string {
  const columns: readonly Column[] = companiesColumns(headers);
  const positions = searched.map((name) => positionOf(columns, name));
  return ({ row, cells }) =>
    folded([row.key, ...row.cells, ...positions.map((at) => cells[at] ?? null)]);
}

const personFacets = [
  ...['seniority_name', 'department_name', 'country', 'has_email', 'has_phone', 'has_mobile'],
];
const personSorted = ['company_name', 'position', 'network', 'fetched_at', 'changed_at'];

/** The columns of the table of people, one line for each person. */
export const personFlatColumns: readonly FlatColumn<FlatRecord>[] = [
  ...personFacets,
  ...personSorted,
].map((name) => {
  const at = peopleColumns.findIndex((column) => column.name === name);
  const isFacet = personFacets.includes(name);
  return { name, sql: name, isFacet, read: (person) => asValue(person[at] ?? null) };
});

/** The text of a person that is searched. */
export function personText(person: FlatRecord): string {
  return folded(person.filter((_, at) => searchedOfPerson[at]));
}

const searchedOfPerson = peopleColumns.map(({ name, type }) => {
  return (type === 'text' || type === 'list') && name !== 'country';
});

function folded(cells: readonly Cell[]): string {
  return cells.map((value) => fold(String(value ?? ''))).join('\n');
}

/** A company with another identifier. */
export function isMismatch({ match }: Pick<FlatRow['row'], 'match'>): boolean {
  return match === 'mismatch';
}

function yes(isSo: boolean): FlatValue {
  return isSo ? 'yes' : null;
}

function asValue(cell: Cell): FlatValue {
  if (typeof cell === 'boolean') return yes(cell);
  if (typeof cell === 'number') return cell;
  return (Array.isArray(cell) ? cell.join(', ') : String(cell ?? '')).trim() || null;
}

/** `1,001-5,000` is 1001: sizes are sorted by where they begin. */
function bandStart(cell: Cell): FlatValue {
  const [digits] = /\d+/.exec(String(cell ?? '').replaceAll(/[,\s]/g, '')) ?? [];
  return digits === undefined ? null : Number(digits);
}
