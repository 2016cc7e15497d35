import { expect, test } from 'vitest';
import type { Cell } from '../../../src/core/columns/columns.ts';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { companiesColumns, flattenRow } from '../../../src/core/columns/tables.ts';
import { matchedRow } from './sample-records.ts';

const headers = ['Company Name', 'ABN', 'Notes'];

test('a row comes with what was asked, what it held and what was answered', () => {
  expect(byName(matchedRow(7, { cells: ['Harbour Lane', '51 824 753 556', null] }))).toMatchObject({
    row_number: 7,
    row_key: 'crm-7',
    status: 'matched',
    reason: null,
    matched_by: 'abn',
    identifier: '51824753556',
    match: 'exact',
    country: 'AU',
    fetched_at: '2026-08-22T04:12:09.113Z',
    input_company_name: 'Harbour Lane',
    input_abn: '51 824 753 556',
    input_notes: null,
    company_id: 'c_000123',
    company_extra: null,
  });
});

function byName(row: RowRecord): Record<string, Cell> {
  const { cells } = flattenRow(row, headers.length);
  const columns = companiesColumns(headers);
  return Object.fromEntries(columns.map(({ name }, index) => [name, cells[index] ?? null]));
}
