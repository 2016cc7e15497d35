import { literally } from '../values/redact.ts';
import { type Column, makeUnique, namesIn } from './columns.ts';
import {
  companyColumns,
  lastColumns,
  peopleColumns,
  registerColumns,
  rowColumns,
} from './table-columns.ts';
import { isOfRegister, type RunRecord, type TableName, tables } from './tables.ts';

/** `list-first`: input columns come first, under their original names. */
export const columnOrders = ['list-first', 'result-first'] as const;
export type ColumnOrder = (typeof columnOrders)[number];

/** Reads a pattern such as `company_next_gen_*`. Most are plain names, which need no regex. */
export function columnPattern(written: string): { test(name: string): boolean } {
  if (!written.includes('*')) return { test: (name) => name === written };
  return new RegExp(`^${written.split('*').map(literally).join('.*')}$`, 's');
}

export interface ColumnPreset {
  readonly about: string;
  readonly companies: readonly string[];
  readonly people: readonly string[];
}

export const presetNames = ['all', 'lead-list'] as const;
type PresetName = (typeof presetNames)[number];

export const columnPresets: Readonly<Record<PresetName, ColumnPreset>> = {
  all: { about: 'Every column.', companies: ['*'], people: ['*'] },
  'lead-list': {
    about: 'The columns that a sales list needs, plus the columns of your own list.',
    companies: namesIn(
      'company_name company_fqdn company_industry_codes_abn company_industries',
      'company_employee_count company_company_size company_revenue company_year_founded',
      'company_hq_location company_states company_hq_country company_phones',
      'company_emails company_website company_network company_tagline company_description',
      'status match reason message row_key input_*',
    ),
    people: namesIn(
      'list_key list_company company_name position seniority_name department_name network has_email has_phone',
      'has_mobile country company_id person_id row_keys',
    ),
  },
};

function isPreset(name: string): name is PresetName {
  return (presetNames as readonly string[]).includes(name);
}

export function chooseColumns(
  table: 'companies' | 'people',
  columns: readonly Pick<Column, 'name'>[],
  wanted: readonly string[],
): number[] {
  const patterns = wanted
    .flatMap((name) => (isPreset(name) ? columnPresets[name][table] : [name]))
    .map(columnPattern);
  const chosen = patterns.flatMap((pattern) =>
    [...columns.keys()].filter((position) => pattern.test(columns[position]?.name ?? '')),
  );
  return chosen.length === 0 ? [...columns.keys()] : [...new Set(chosen)];
}

export const choosableColumns: readonly string[] = [
  ...presetNames,
  ...new Set(
    [...rowColumns, ...companyColumns, ...registerColumns, ...peopleColumns].map(
      ({ name }) => name,
    ),
  ),
  'input_*',
];

export function canChoose(wanted: string): boolean {
  if (isPreset(wanted) || /^input_./.test(wanted)) return true;
  const pattern = columnPattern(wanted);
  return choosableColumns.some((name) => !isPreset(name) && pattern.test(name));
}

export const expectedColumn = `a column of the companies or people table, a pattern such as company_next_gen_* or input_*, or a preset (${presetNames.join(', ')})`;

export interface ColumnChoice {
  readonly hasServices?: boolean | undefined;
  readonly hasRegister?: boolean | undefined;
  readonly columns: readonly string[];
  readonly order: ColumnOrder;
}

export function viewTable(table: TableName, headers: readonly string[], choice: ColumnChoice) {
  const view = viewOf(table, headers, choice);
  const added = (['always', 'hasRegister', 'hasServices'] as const).flatMap((which) =>
    which === 'always' || choice[which] ? (lastColumns[which][table] ?? []) : [],
  );
  if (added.length === 0) return view;
  const taken = view.columns.map(({ name }) => name);
  const names = makeUnique(
    added.map(({ name }) => name),
    { taken },
  );
  return {
    table,
    isWhole: false,
    columns: [
      ...view.columns,
      ...added.map((column, at) => ({ ...column, name: names[at] ?? column.name })),
    ],
    record(source: RunRecord) {
      const record = view.record(source);
      return record && [...record, ...added.map(({ value }) => value(source))];
    },
  };
}

function viewOf(table: TableName, headers: readonly string[], choice: ColumnChoice) {
  const { columns, record }: (typeof tables)[TableName] = tables[table];
  const all: readonly Column[] = columns(headers);
  if (table !== 'companies' && table !== 'people')
    return { table, columns: all, record, isWhole: false };
  const shown = [...all.keys()].filter(
    (place) => table === 'people' || choice.hasRegister || !isOfRegister(place),
  );
  const offered = shown.map((place) => all[place] as Column);
  const positions = chooseColumns(table, offered, choice.columns).map((at) => shown[at] ?? 0);
  const arranged =
    table === 'companies' && choice.order === 'list-first'
      ? listFirst(all, positions, headers)
      : positions.map((position) => ({ position, column: all[position] as Column }));
  const places = arranged.map(({ position }) => position);
  return {
    table,
    /** Every column that the run has, in its order. */
    isWhole: table === 'companies' && `${places}` === `${shown}`,
    columns: arranged.map(({ column }) => column),
    record(source: RunRecord) {
      const whole = record(source);
      return whole && places.map((place) => whole[place] ?? null);
    },
  };
}

function listFirst(
  all: readonly Column[],
  positions: readonly number[],
  headers: readonly string[],
) {
  const inputOffset = all.length - headers.length;
  const arranged = (position: number, name: string) => ({
    position,
    column: { ...(all[position] as Column), name },
  });
  const input = positions
    .filter((position) => position >= inputOffset)
    .map((position) => arranged(position, headers[position - inputOffset] ?? ''));
  const ours = positions.filter((position) => position < inputOffset);
  const names = makeUnique(
    ours.map((position) => all[position]?.name ?? ''),
    { taken: input.map(({ column }) => column.name) },
  );
  return [...input, ...ours.map((position, index) => arranged(position, names[index] ?? ''))];
}
