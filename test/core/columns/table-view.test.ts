import { expect, test } from 'vitest';
import {
  type ColumnChoice,
  canChoose,
  columnPresets,
  presetNames,
  viewTable,
} from '../../../src/core/columns/choose-columns.ts';
import { registerColumns } from '../../../src/core/columns/table-columns.ts';
import { flattenRow, type TableName, tables } from '../../../src/core/columns/tables.ts';
import { matchedRow, rejectedRow } from './sample-records.ts';

const headers = ['Company Name', 'ABN'];
const sources = [matchedRow(1), rejectedRow(2)].map((row) => ({
  row: flattenRow(row, headers.length),
}));

test('list-first puts the columns of the list before the others, under their own names', () => {
  const { columns, record } = view('companies', { columns: ['all'], order: 'list-first' });
  expect(namesOf({ columns }).slice(0, 5)).toEqual([
    'Company Name',
    'ABN',
    'row_number',
    'row_key',
    'status',
  ]);
  expect(columns.length + registerColumns.length).toBe(tables.companies.columns(headers).length);
  const [first = []] = sources.map(record);
  const [whole = []] = sources.map(tables.companies.record);
  expect(first).toEqual([...whole.slice(-2), ...whole.slice(0, -2 - registerColumns.length)]);
});

test('if the list has a status column, ours is status_2', () => {
  const choice = { columns: ['status', 'input_*', 'row_key'], order: 'list-first' } as const;
  expect(namesOf(viewTable('companies', ['status', ''], choice))).toEqual([
    'status',
    '',
    'status_2',
    'row_key',
  ]);
});

test('columns come in the order in which they are named, each once, a star for any text', () => {
  const columns = ['company_name', 'input_abn', 'company_industry_codes_a*', 'company_na*e'];
  const chosen = view('companies', { columns, order: 'result-first' });
  expect(namesOf(chosen)).toEqual([
    ...['company_name', 'input_abn', 'company_industry_codes_anzsic'],
    ...['company_industry_codes_abn', 'company_industry_codes_acn'],
  ]);
  const [matched] = sources.map(chosen.record);
  expect(matched?.[0]).toBe('Harbour Lane Joinery Pty Ltd');
});

test('presets name columns that exist, and lead-list has about twenty', () => {
  for (const preset of presetNames) {
    for (const table of ['companies', 'people'] as const) {
      const known = tables[table].columns(headers).map(({ name }) => name);
      const exact = columnPresets[preset][table].filter((name) => !name.includes('*'));
      expect(exact.filter((name) => !known.includes(name))).toEqual([]);
      expect(exact.filter((name) => !canChoose(name))).toEqual([]);
    }
  }
  const names = namesOf(view('companies', { columns: ['lead-list'], order: 'result-first' }));
  expect(names.length - headers.length).toBeGreaterThanOrEqual(18);
  expect(names.length - headers.length).toBeLessThanOrEqual(24);
});

function view(table: TableName, choice: ColumnChoice) {
  return viewTable(table, headers, choice);
}

function namesOf({ columns }: Pick<ReturnType<typeof view>, 'columns'>): string[] {
  return columns.map(({ name }) => name);
}
