import { expect, test } from 'vitest';
import type { ShownRow } from '../../../../src/report/data/rows-data.ts';
import { filterRows, noFilter } from '../../../../src/report/page/rows/row-filter.ts';

const rows: readonly ShownRow[] = [
  { row: 1, status: 'matched', input: 'Acme Pty', company: 'Acme', identifier: 'acme.com.au' },
  { row: 2, status: 'not_found', input: 'Bolt', reason: 'not_found' },
  { row: 12, status: 'invalid', input: 'ACME old', reason: 'blank' },
];
const numbers = (filter: Partial<typeof noFilter>) =>
  filterRows(rows, { ...noFilter, ...filter }).map(({ row }) => row);

test('no filter shows every row', () => expect(filterRows(rows, noFilter)).toBe(rows));

test('every word has to be there, in any field and any case', () => {
  expect(numbers({ text: 'acme' })).toEqual([1, 12]);
  expect(numbers({ text: ' OLD  acme ' })).toEqual([12]);
  expect(numbers({ text: 'bolt 2' })).toEqual([2]);
  expect(numbers({ text: '.*' })).toEqual([]);
});

test('outcomes and a reason narrow it', () => {
  expect(numbers({ statuses: new Set(['matched', 'invalid']) })).toEqual([1, 12]);
  expect(numbers({ statuses: new Set(['matched', 'invalid']), reason: 'blank' })).toEqual([12]);
});
