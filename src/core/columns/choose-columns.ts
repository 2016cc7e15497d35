import { type Column, type FlatRecord, makeUnique } from './columns.ts';
import { companyColumns, peopleColumns, rowColumns } from './table-columns.ts';
import { type RunRecord, type Table, tables } from './tables.ts';

/**
 * `list-first` puts the input's own columns before the others, under their own names; `result-first`
 * leaves all in the order of the table, or of the columns that were chosen.
 */
export const columnOrders = ['list-first', 'result-first'] as const;
export type ColumnOrder = (typeof columnOrders)[number];

/** `company_next_gen_*`: a star stands for any text. */
export function columnPattern(written: string): RegExp {
  const escaped = written.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's');
}

/** A choice of columns that has a name. */
export interface ColumnPreset {
  readonly about: string;
  /** Columns of each table by name or pattern, in the order in which they are written. */
  readonly companies: readonly string[];
  readonly people: readonly string[];
}

export const presetNames = ['all', 'lead-list'] as const;
export type PresetName = (typeof presetNames)[number];

/** The choices that Dossier brings along. */
export const columnPresets: Readonly<Record<PresetName, ColumnPreset>> = {
  all: { about: 'Every column.', companies: ['*'], people: ['*'] },
  'lead-list': {
    about: 'What a list for sales needs, with the columns of your own list.',
    companies: [
      'company_name',
      'company_fqdn',
      'company_industry_codes_abn',
      'company_industries',
      'company_employee_count',
      'company_company_size',
      'company_revenue',
      'company_year_founded',
      'company_hq_location',
      'company_states',
      'company_hq_country',
      'company_phones',
      'company_emails',
      'company_website',
      'company_network',
      'company_tagline',
      'company_description',
      'status',
      'match',
      'reason',
      'message',
      'row_key',
      'input_*',
    ],
    people: [
      'company_name',
      'position',
      'seniority_name',
      'department_name',
      'network',
      'has_email',
      'has_phone',
      'has_mobile',
      'country',
      'company_id',
      'person_id',
      'row_keys',
    ],
  },
};

function isPreset(name: string): name is PresetName {
  return (presetNames as readonly string[]).includes(name);
}

/**
 * Positions of the columns that `wanted` names, in its order: names, patterns and presets. Those of a
 * table of which nothing is named are all its columns.
 */
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

/** What `output.columns` may name; the columns of the input are known only with the list. */
export const choosableColumns: readonly string[] = [
  ...presetNames,
  ...new Set([...rowColumns, ...companyColumns, ...peopleColumns].map(({ name }) => name)),
  'input_*',
];

/** Whether a name or pattern can choose a column at all. */
export function canChoose(wanted: string): boolean {
  if (isPreset(wanted) || /^input_./.test(wanted)) return true;
  const pattern = columnPattern(wanted);
  return choosableColumns.some((name) => !isPreset(name) && pattern.test(name));
}

/** Continues the word "expected". */
export const expectedColumn = `a column of companies or people, a pattern such as company_next_gen_* or input_*, or a preset (${presetNames.join(', ')})`;

/** Which columns a file has, and in which order. */
export interface ColumnChoice {
  /** Names, patterns and presets. */
  readonly columns: readonly string[];
  readonly order: ColumnOrder;
}

/** A table as a file shows it. */
export interface TableView {
  readonly table: Table;
  readonly columns: readonly Column[];
  record(source: RunRecord): FlatRecord | undefined;
}

export function viewTable(
  table: Table,
  headers: readonly string[],
  choice: ColumnChoice,
): TableView {
  const { columns, record }: (typeof tables)[Table] = tables[table];
  const all: readonly Column[] = columns(headers);
  if (table !== 'companies' && table !== 'people') return { table, columns: all, record };
  const positions = chooseColumns(table, all, choice.columns);
  const arranged =
    table === 'companies' && choice.order === 'list-first'
      ? listFirst(all, positions, headers)
      : positions.map((position) => ({ position, column: all[position] as Column }));
  if (isWhole(arranged, all)) return { table, columns: all, record };
  const places = arranged.map(({ position }) => position);
  return {
    table,
    columns: arranged.map(({ column }) => column),
    record(source) {
      const whole = record(source);
      return whole && places.map((place) => whole[place] ?? null);
    },
  };
}

interface ArrangedColumn {
  readonly position: number;
  readonly column: Column;
}

/** Where the input has a `status` itself, ours is `status_2`, as in rejects.*. */
function listFirst(
  all: readonly Column[],
  positions: readonly number[],
  headers: readonly string[],
): ArrangedColumn[] {
  // The columns of the input are the last ones of a record.
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

function isWhole(arranged: readonly ArrangedColumn[], all: readonly Column[]): boolean {
  return (
    arranged.length === all.length &&
    arranged.every(({ position, column }, index) => position === index && column === all[index])
  );
}
