import { expect, test } from 'vitest';
import { filterRows, noFilter } from '../../../../src/pages/report/rows/row-filter.ts';
import type { SampledRow } from '../../../../src/report/data/report-data.ts';

const rows: readonly SampledRow[] = [
  { row: 1, status: 'matched', input: 'Acme Pty', company: 'Acme', identifier: 'acme.com.au' },
  { row: 2, status: 'not_found', input: 'Bolt', reason: 'not_found' },
  { row: 12, status: 'invalid', input: 'ACME old', reason: 'blank' },
  { row: 4_210, status: 'matched', input: 'x', company: 'Café Zürich' },
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

test('accents may be left out, or typed in either form', () => {
  expect(numbers({ text: 'cafe zurich' })).toEqual([4_210]);
  expect(numbers({ text: 'CAFÉ' })).toEqual([4_210]);
  expect(numbers({ text: 'Cafe\u0301' })).toEqual([4_210]);
});

test('a row is found by its number as the page writes it', () => {
  expect(numbers({ text: '4,210' })).toEqual([4_210]);
  expect(numbers({ text: 'row 4210' })).toEqual([4_210]);
});

test('outcomes and a reason narrow it', () => {
  expect(numbers({ statuses: new Set(['matched', 'invalid']) })).toEqual([1, 12, 4_210]);
  expect(numbers({ statuses: new Set(['matched', 'invalid']), reason: 'blank' })).toEqual([12]);
});
