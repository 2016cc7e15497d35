import { chooseColumns } from '../../../core/columns/choose-columns.ts';
import { type Column, nameColumn, namesIn, ownColumn } from '../../../core/columns/columns.ts';
import {
  companyColumns,
  inputColumns,
  peopleColumns,
  registerColumns,
  rowColumns,
} from '../../../core/columns/table-columns.ts';
import { companyOffset, inputOffset } from '../../../core/columns/tables.ts';
import { capitalised } from '../../../core/values/format.ts';
import type { Run } from '../../../engine/ledger/runs/runs.ts';
import type { ColumnPreset, TableColumn } from '../api/answers.ts';
import { flatColumns, personFlatColumns } from './flat-table.ts';

const labels: Readonly<Record<string, string>> = {
  row_number: 'Row',
  row_key: 'Key',
  status: 'Outcome',
  matched_by: 'Matched by',
  country: 'Lookup country',
  fetched_at: 'Fetched',
  changed_at: 'Changed',
  people_complete: 'People complete',
  company_id: 'Company id',
  company_name: 'Found company',
  company_fqdn: 'Domain',
  company_network: 'Network page',
  company_employee_count: 'Employees',
  company_year_founded: 'Founded',
  company_hq_location: 'Headquarters',
  company_hq_country: 'Country',
  company_company_size: 'Size',
  company_company_type: 'Company type',
  company_extra: 'Other fields',
};

/** `company_next_gen_web_traffic_summary_bounce_rate → Web traffic summary bounce rate` */
export function labelOf(name: string): string {
  const words = name
    .replace(/^company_/, '')
    .replace(/^next_gen_/, '')
    .replace(/^industry_codes_(\w+)$/, (_, code: string) => code.toUpperCase())
    .replaceAll('_', ' ')
    .replace(/\babn\b/, 'ABN');
  return labels[name] ?? capitalised(words);
}

/** Two columns never have one name: `Domain` of the list, and `Domain (found)`. */
function withOwnLabels(columns: readonly TableColumn[]): TableColumn[] {
  const taken = new Set<string>();
  const isFree = (label: string) => !taken.has(label.toLowerCase());
  return columns.map((column) => {
    const { isOfList } = column;
    let label = column.label;
    if (!isFree(label) && !isOfList) label = `${label} (found)`;
    for (let number = 2; !isFree(label); number += 1) label = `${column.label} (${number})`;
    taken.add(label.toLowerCase());
    return { ...column, label };
  });
}

export function tableColumns({
  columns: headers,
  hasPeople,
  registerSources,
}: Pick<Run, 'columns' | 'hasPeople' | 'registerSources'>) {
  const shown = shownWith(flatColumns(headers));
  // Not a column of companies.*: the flat table counts people.
  const people = ownColumn('people', 'integer', 'People found for the company.');
  return withOwnLabels([
    ...inputColumns(headers).map((column, at) => ({
      ...shown(column, inputOffset + at, 'Your list'),
      label: headers[at] || `Column ${at + 1}`,
      isOfList: true,
      about: '',
    })),
    ...rowColumns.map((column, at) => shown(column, at, 'Outcome')),
    ...(hasPeople ? [shown(people, -1, 'Outcome')] : []),
    ...companyColumns.map((column, at) => {
      const group = column.path.length === 0 ? 'More' : groupOf(column.path);
      return shown(column, companyOffset + at, group);
    }),
    ...(registerSources ? registerColumns : []).map((column, at) =>
      shown(column, companyOffset + companyColumns.length + at, 'Register'),
    ),
  ]);
}

function shownWith(flat: readonly { readonly name: string }[], labelOfColumn = labelOf) {
  const sortable = new Set(flat.map(({ name }) => name));
  return ({ name, type, description }: Column, position: number, group: string): TableColumn => ({
    name,
    type,
    position,
    group,
    label: labelOfColumn(name),
    about: description,
    isOfList: false,
    isSortable: sortable.has(name),
  });
}

const groupNames: Readonly<Record<string, string>> = {
  social_media: 'Social media',
  industry_codes: 'Registers and industry codes',
  reviews_rating: 'Reviews',
  web_traffic: 'Web traffic',
  technographics: 'Technology',
};

/** `['name'] → Profile`, `['nextGen', 'web_traffic', 'summary', …] → Web traffic` */
export function groupOf(path: readonly string[]): string {
  const [first = '', second = ''] = path;
  const holder = first === 'nextGen' ? second : first;
  const isNested = path.length > (first === 'nextGen' ? 2 : 1);
  if (first === 'nextGen' && holder === 'social_media') return 'Social media in detail';
  return (isNested ? groupNames[holder] : undefined) ?? (first === 'nextGen' ? 'More' : 'Profile');
}

const personLabels: Readonly<Record<string, string>> = {
  list_key: 'Your key',
  list_company: 'Company in your list',
  company_name: 'Company',
  position: 'Title',
  seniority_name: 'Seniority',
  department_name: 'Department',
  seniority: 'Seniority id',
  department: 'Department id',
  network: 'Profile page',
  extra: 'Other fields',
};

const shownPerson = shownWith(personFlatColumns, (name) => personLabels[name] ?? labelOf(name));

export const personColumns: readonly TableColumn[] = peopleColumns.map((column, at) =>
  shownPerson(column, at, 'Person'),
);

export const personPresets: readonly ColumnPreset[] = [
  {
    name: 'short',
    label: 'Short',
    columns: namesIn(
      'list_key list_company company_name position seniority_name department_name network',
      'country has_email has_phone has_mobile',
    ),
  },
  { name: 'all', label: 'All columns', columns: personColumns.map(({ name }) => name) },
];

const found = namesIn('company_name matched_by company_hq_country company_company_size people');
const shortList = namesIn(
  'company_fqdn company_employee_count company_hq_location company_industries company_phones reason',
);

/** A list may have 100,000 columns. */
const mostInPreset = 50;

export function presetsOf(columns: readonly TableColumn[]): ColumnPreset[] {
  const own = columns.filter(({ isOfList }) => isOfList);
  const name = own[nameColumn(own.map(({ label }) => label)) ?? 0]?.name;
  const first = [...(name === undefined ? [] : [name]), 'status'];
  const others = own.map((column) => column.name).filter((one) => one !== name);
  const some = others.slice(0, mostInPreset);
  const known = new Set(columns.map((column) => column.name));
  // The preset “Lead list” has the columns and the order of files with `--columns lead-list`.
  const ours = columns.filter(({ isOfList }) => !isOfList);
  const leads = chooseColumns('companies', ours, ['lead-list']).map((at) => ours[at]?.name ?? '');
  const preset = (id: string, label: string, names: readonly string[]) => ({
    name: id,
    label,
    columns: [...new Set([...first, ...names])].filter((one) => known.has(one)),
  });
  return [
    preset('short', 'Short', [...found, ...shortList, ...some]),
    preset('lead-list', 'Lead list', [...some, ...leads]),
    { name: 'all', label: 'All columns', columns: columns.map((column) => column.name) },
  ];
}
