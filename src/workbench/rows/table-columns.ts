import { chooseColumns } from '../../records/choose-columns.ts';
import type { Column } from '../../records/columns.ts';
import { companyOffset } from '../../records/flatten-row.ts';
import { companyColumns, inputColumns, rowColumns } from '../../records/table-columns.ts';
import { groupOf } from '../../report/group-coverage.ts';
import type { ColumnPreset, TableColumn } from '../api/rows.ts';
import { lineOfCell } from './index/entry.ts';
import type { SortBy } from './index/find-rows.ts';
import { cellKeyName, sortKeys } from './index/sort-keys.ts';

/** A column, and where its cell stands in a record of companies.*. */
export interface PlacedColumn extends TableColumn {
  readonly position: number;
}

const labels: Readonly<Record<string, string>> = {
  row_number: 'Row',
  row_key: 'Key',
  status: 'Outcome',
  matched_by: 'Matched by',
  fetched_at: 'Fetched',
  changed_at: 'Changed',
  people_complete: 'People complete',
  company_id: 'Company id',
  company_name: 'Company found',
  company_fqdn: 'Domain',
  company_employee_count: 'Employees',
  company_year_founded: 'Founded',
  company_hq_location: 'Headquarters',
  company_hq_country: 'Country of headquarters',
  company_company_size: 'Size',
  company_company_type: 'Kind of company',
  company_extra: 'What else was answered',
};

/** `company_next_gen_web_traffic_summary_bounce_rate → Web traffic summary bounce rate` */
export function labelOf(name: string): string {
  const words = name
    .replace(/^company_/, '')
    .replace(/^next_gen_/, '')
    .replace(/^industry_codes_(\w+)$/, (_, code: string) => code.toUpperCase())
    .replaceAll('_', ' ');
  return labels[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** All columns that the table of a run may show. `headers` are the list's own. */
export function tableColumns(headers: readonly string[]): PlacedColumn[] {
  const inputOffset = companyOffset + companyColumns.length;
  const own = inputColumns(headers).map((column, at) => ({
    ...asTableColumn(column, 'Your list'),
    label: headers[at] || `Column ${at + 1}`,
    ...{ isOfList: true, isSortable: true, about: '', position: inputOffset + at },
  }));
  const ours = rowColumns.map((column, at) => ({
    ...asTableColumn(column, 'Outcome'),
    position: at,
  }));
  const found = companyColumns.map((column, at) => ({
    ...asTableColumn(column, column.path.length === 0 ? 'More' : groupOf(column.path)),
    position: companyOffset + at,
  }));
  return [...own, ...ours, ...found];
}

function asTableColumn({ name, type, description }: Column, group: string): TableColumn {
  return {
    ...{ name, label: labelOf(name), about: description, group, type },
    isOfList: false,
    isSortable: Object.hasOwn(sortKeys, name),
  };
}

const shortList = [
  'status',
  'company_name',
  'company_fqdn',
  'company_employee_count',
  'company_company_size',
  'company_hq_location',
  'company_industries',
  'company_phones',
  'reason',
];

/** A list may have a hundred thousand columns, which no table shows unasked. */
const mostOwn = 50;

/**
 * Of a longer list, what was found would be out of sight behind its own columns; with none of them, nobody
 * sees whether the company is the right one.
 */
const ownInSight = 3;

/** The list's own columns come first, but for most of a long list in the short one. */
export function presetsOf(columns: readonly TableColumn[]): ColumnPreset[] {
  const own = columns.filter(({ isOfList }) => isOfList).map(({ name }) => name);
  return [
    { name: 'short', label: 'Short', columns: shortPreset(own) },
    {
      name: 'lead-list',
      label: 'Lead list',
      columns: [...own.slice(0, mostOwn), ...leadList(columns)],
    },
    { name: 'all', label: 'All columns', columns: columns.map(({ name }) => name) },
  ];
}

function shortPreset(own: readonly string[]): string[] {
  return [...own.slice(0, ownInSight), ...shortList, ...own.slice(ownInSight, mostOwn)];
}

/** The preset of the files, in its order. */
function leadList(columns: readonly TableColumn[]): string[] {
  const others = columns.filter(({ isOfList }) => !isOfList);
  return chooseColumns('companies', others, ['lead-list']).map((at) => others[at]?.name ?? '');
}

/** How the index sorts by a column; undefined where it cannot. */
export function sortBy(
  columns: readonly PlacedColumn[],
  name: string,
  isDescending: boolean,
): SortBy | undefined {
  const own = columns.filter(({ isOfList }) => isOfList).findIndex((one) => one.name === name);
  if (own !== -1) {
    const key = cellKeyName(own);
    return key === undefined ? { line: lineOfCell(own), isDescending } : { key, isDescending };
  }
  return Object.hasOwn(sortKeys, name) ? { key: name, isDescending } : undefined;
}
