import { expect, test } from 'vitest';
import {
  type ColumnPair,
  isSameCell,
  pairColumns,
} from '../../../src/core/columns/compare-records.ts';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { companiesColumns } from '../../../src/core/columns/tables.ts';
import { changeOfRow } from '../../../src/results/changes.ts';
import { fullCompany, matchedRow, rejectedRow } from '../../core/columns/sample-records.ts';

const headers = ['Company Name', 'ABN'];

function pairsWith(include: readonly string[] = []): ColumnPair[] {
  const columns = companiesColumns(headers);
  return pairColumns(columns, columns, include);
}

function change(before?: RowRecord, after?: RowRecord, include: readonly string[] = []) {
  const rows = {
    before: before && { record: before },
    after: after && { record: after },
  };
  return changeOfRow({ key: 'crm-1', ...rows }, pairsWith(include));
}

const other = { ...fullCompany(), id: 'c_2', name: 'Other Pty Ltd' };
const failed = rejectedRow(1, { status: 'failed', reason: 'timeout' });

test.each<[string, RowRecord | undefined, RowRecord | undefined, string | undefined]>([
  ['a row of one list only is added', undefined, matchedRow(1), 'row_added'],
  ['a row that failed in its first night is added', undefined, failed, 'row_added'],
  ['a row that is gone is removed', matchedRow(1), undefined, 'row_removed'],
  ['a company after a miss is found', rejectedRow(1), matchedRow(1), 'company_found'],
  ['a company after a failure is found', failed, matchedRow(1), 'company_found'],
  ['a miss after a company is a loss', matchedRow(1), rejectedRow(1), 'company_lost'],
  ['another company', matchedRow(1), matchedRow(1, { company: other }), 'company_replaced'],
  ['another identifier', matchedRow(1), matchedRow(1, { identifier: 'x' }), 'company_changed'],
  [
    'a miss that became invalid',
    rejectedRow(1),
    rejectedRow(1, { status: 'invalid', reason: 'abn_checksum' }),
    'company_changed',
  ],
  ['a failure after a company says nothing', matchedRow(1), failed, undefined],
  ['nor a miss after a failure', failed, rejectedRow(1), undefined],
  [
    'a stale answer says nothing',
    matchedRow(1),
    matchedRow(1, { isStale: true, company: other }),
    undefined,
  ],
  [
    'an answer after a stale one counts',
    matchedRow(1, { isStale: true }),
    matchedRow(1, { company: other }),
    'company_replaced',
  ],
  [
    'place and time of an answer are no change',
    matchedRow(1),
    matchedRow(7, { fetchedAt: '2026-09-01T00:00:00.000Z', changedAt: '2026-09-01T00:00:00.000Z' }),
    undefined,
  ],
  [
    'nor is what the list says beside',
    matchedRow(1),
    matchedRow(1, { cells: ['Harbour'] }),
    undefined,
  ],
])('%s', (_, before, after, op) => expect(change(before, after)?.op).toBe(op));

test('a change has its columns, their values before and after, and both times', () => {
  const company = { ...fullCompany(), employee_count: 7, phones: null, org_registers: { a: 'b' } };
  const fetchedAt = '2026-09-01T00:00:00.000Z';
  expect(change(matchedRow(3), matchedRow(4, { company, fetchedAt }))).toEqual({
    op: 'company_changed',
    rowKey: 'crm-1',
    rowNumber: 4,
    companyId: 'c_000123',
    companyName: fullCompany().name,
    country: 'AU',
    personId: null,
    columns: ['company_employee_count', 'company_phones', 'company_org_registers'],
    before: {
      company_employee_count: fullCompany().employee_count,
      company_phones: fullCompany().phones,
      company_org_registers: fullCompany().org_registers,
    },
    after: {
      company_employee_count: 7,
      company_phones: null,
      company_org_registers: { a: 'b' },
    },
    beforeFetchedAt: '2026-08-22T04:12:09.113Z',
    afterFetchedAt: fetchedAt,
  });
});

test('volatile columns count only if the job names them', () => {
  const { nextGen } = fullCompany();
  const web_traffic = { ...nextGen.web_traffic, summary: { bounce_rate: 0.9 } };
  const after = matchedRow(1, {
    company: { ...fullCompany(), nextGen: { ...nextGen, web_traffic } },
  });
  expect(change(matchedRow(1), after)).toBeUndefined();
  const column = 'company_next_gen_web_traffic_summary_bounce_rate';
  expect(change(matchedRow(1), after, [column])?.columns).toEqual([column]);
  expect(change(matchedRow(1), after, ['company_next_gen_web_*'])?.columns).toHaveLength(4);
  const corrected = matchedRow(1, { cells: ['Harbour', '51 824 753 556'] });
  expect(change(matchedRow(1), corrected, ['input_*'])).toMatchObject({
    columns: ['input_company_name'],
    before: { input_company_name: 'Harbour Lane' },
    after: { input_company_name: 'Harbour' },
  });
});

test('the order of lists and keys is not a change', () => {
  expect(isSameCell('list', ['a', 'b'], ['b', 'a'])).toBe(true);
  expect(isSameCell('list', ['a', 'a', 'b'], ['a', 'b', 'b'])).toBe(false);
  expect(isSameCell('json', '{"a":["x","y"],"b":1}', '{"b":1,"a":["y","x"]}')).toBe(true);
  expect(isSameCell('json', '{"a":[1]}', '{"a":[2]}')).toBe(false);
  expect(isSameCell('text', '[1,2]', '[2,1]')).toBe(false);
  const deep = (inner: number) => `${'['.repeat(50_000)}${inner}${']'.repeat(50_000)}`;
  expect(isSameCell('json', deep(1), deep(2))).toBe(false);
});
