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
type FlatValue = string | number | null;

/** A column of the flat table: rows are sorted by it and may be filtered by its values. */
export interface FlatColumn<Source> {
  /** As in companies.* and people.*, or `mismatch`, `changed` and `people`. */
  readonly name: string;
  /** Its name in the flat table. */
  readonly sql: string;
  /** Rows are sorted by this column instead. */
  readonly sortedBy?: string;
  readonly isFacet?: boolean;
  /** The list's own. */
  readonly isOfList?: true;
  readonly read: (source: Source) => FlatValue;
}

/** A row of the list, the run in which it last changed, and whether that was after the run before. */
export interface FlatSource {
  readonly row: FlatRow;
  readonly changedRun: number | null;
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
  ...['row_number', 'row_key', 'identifier', 'match', 'fetched_at'],
  ...['people_complete', 'company_name', 'company_fqdn', 'company_employee_count'],
  ...['company_year_founded', 'company_hq_location', 'company_hq_country', 'company_company_type'],
];

/** Columns of the list that rows are sorted and filtered by. SQLite has no more than 2,000. */
const mostOwn = 500;

export function flatColumns(headers: readonly string[]): FlatColumn<FlatSource>[] {
  const columns = companiesColumns(headers);
  const column = (
    name: string,
    read: FlatColumn<FlatSource>['read'],
    isFacet = false,
  ): FlatColumn<FlatSource> => ({ name, sql: name, isFacet, read });
  const cellOf = (name: string) => {
    const at = positionOf(columns, name);
    return ({ row: { cells } }: FlatSource) => cells[at] ?? null;
  };
  const sizeOf = cellOf('company_company_size');
  const ours = [...facets, ...sorted].map((name) => {
    const cell = cellOf(name);
    return column(name, (source) => asValue(cell(source)), facets.includes(name));
  });
  return [
    ...ours.map((one) =>
      one.name === 'company_company_size' ? { ...one, sortedBy: 'size_from' } : one,
    ),
    column('mismatch', ({ row }) => asValue(isMismatch(row.row)), true),
    column('changed', ({ isChanged }) => asValue(isChanged), true),
    // Its time is known when the run ends; the order is that of the runs.
    column('changed_at', ({ changedRun }) => changedRun),
    column('size_from', (source) => bandStart(sizeOf(source))),
    // Counted when the people are read.
    column('people', () => null),
    ...inputColumns(headers)
      .slice(0, mostOwn)
      .map(({ name }, at) => ({
        name,
        sql: `cell_${at}`,
        isOfList: true as const,
        read: ({ row: { row } }: FlatSource) => asValue(row.cells[at] ?? null),
      })),
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
  return fold(cells.map((value) => String(value ?? '')).join(' '));
}

/** A company with another identifier. */
export function isMismatch({ match }: Pick<FlatRow['row'], 'match'>): boolean {
  return match === 'mismatch';
}

function asValue(cell: Cell): FlatValue {
  if (typeof cell === 'boolean') return cell ? 'yes' : null;
  if (typeof cell === 'number') return cell;
  return (Array.isArray(cell) ? cell.join(', ') : String(cell ?? '')).trim() || null;
}

/** `1,001-5,000` is 1001: sizes are sorted by where they begin. */
function bandStart(cell: Cell): FlatValue {
  const [digits] = /\d+/.exec(String(cell ?? '').replaceAll(/[,\s]/g, '')) ?? [];
  return digits === undefined ? null : Number(digits);
}
