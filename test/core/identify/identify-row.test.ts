import { expect, test } from 'vitest';
import { identifyRow, type RowPlan } from '../../../src/core/identify/identify-row.ts';

const plan: RowPlan = {
  identify: [
    { index: 0, as: 'abn' },
    { index: 1, as: 'auto' },
    { index: 2, as: 'fqdn' },
  ],
  country: { index: 3, default: 'AU' },
};

test('candidates follow the order of the columns, alternates come last, and none comes twice', () => {
  const row = identifyRow(
    ['065 475 149', 'https://shop.acme.com.au', 'jane@acme.com.au', 'NZ'],
    plan,
  );
  expect(row).toMatchObject({
    country: 'NZ',
    candidates: [
      { kind: 'abn', value: '47065475149', derivedFrom: 'acn' },
      { kind: 'fqdn', value: 'acme.com.au' },
      { kind: 'fqdn', value: 'shop.acme.com.au' },
    ],
    rejects: [],
    reject: undefined,
  });
});

test('a rejected cell gives its reason, and the row goes on without it', () => {
  const row = identifyRow(['51824753557', 'acme.com', 'jane@gmail.com', ''], plan);
  expect(row.country).toBe('AU');
  expect(row.reject).toBeUndefined();
  expect(row.candidates.map(({ value }) => value)).toEqual(['acme.com']);
  expect(row.rejects.map(({ column, reject }) => [column, reject])).toEqual([
    [0, 'abn_checksum'],
    [2, 'freemail'],
  ]);
});

test('a row without candidates is rejected for the first cell that is not blank', () => {
  const reasonOf = (...cells: (string | undefined)[]) => identifyRow(cells, plan).reject?.reject;
  expect(reasonOf('', undefined, 'jane@gmail.com', 'AU')).toBe('freemail');
  expect(reasonOf('n/a', 'acme', 'jane@gmail.com', 'AU')).toBe('not_a_domain');
  expect(reasonOf('', '-')).toBe('blank');
  expect(reasonOf()).toBe('blank');
});

test('a row with a country that the service does not cover is rejected', () => {
  const row = identifyRow(['51824753556', '', '', 'Germany'], plan);
  expect(row.reject).toMatchObject({ reject: 'unsupported_country' });
  expect(row.country).toBeUndefined();
});
