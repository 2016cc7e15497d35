import { expect, test } from 'vitest';
import { detectKey } from '../../../src/job/from-list/detect-columns.ts';

const rows = (header: readonly string[], count = 3) =>
  Array.from({ length: count }, (_, row) => header.map((_name, column) => `${row}-${column}`));

test.each([
  ...['ID', 'crmId', 'Record Id', 'Account ID (18)', 'Organization - ID', 'Salesforce Account ID'],
  ...['GUID', 'external_id', 'Row Key', 'unique id', 'Customer Number', 'customer no.'],
  ...['Kundennummer', 'Record ID - Company', 'properties.hs_object_id', 'legacy_id', 'Primary key'],
])('a unique column %j is the key of its rows', (name) => {
  const header = ['Name', name, 'Website'];
  expect(detectKey(header, rows(header), [2])).toBe(name);
});

test.each([
  ...['Name', 'ABN ID', 'LinkedIn ID', 'Owner ID', 'Parent Account ID', 'Created by ID', 'No'],
  ...['row_number', 'Valid', 'Business Number', 'VAT ID', 'owner.id', ''],
])('a column %j is none, unique or not', (name) => {
  const header = [name];
  expect(detectKey(header, rows(header), [])).toBeUndefined();
});

test('a column with repeats or blank cells is not a key', () => {
  const sample = [
    ['1', '1', 'a'],
    ['1 ', 'n/a', 'b'],
    ['2', '3', 'c'],
  ];
  expect(detectKey(['id', 'crm_id', 'account_id'], sample, [])).toBe('account_id');
  expect(detectKey(['id', 'crm_id', 'name'], sample, [])).toBeUndefined();
});

test('without such a header, codes with the same letters are the key', () => {
  const listed = (codes: readonly string[]) => codes.map((code, row) => [`Firm ${row}`, code]);
  const header = ['Name', 'Opp'];
  expect(detectKey(header, listed(['OPP-1', 'OPP-2', 'OPP-12']), [])).toBe('Opp');
  expect(detectKey(header, listed(['OPP-1', 'OPP-2', 'OPP-2']), [])).toBeUndefined();
  expect(detectKey(header, listed(['OPP-1', 'ACC-2', 'OPP-3']), [])).toBeUndefined();
  expect(detectKey(header, listed(['OPP-1', 'OPP-2']), [])).toBeUndefined();
});

test('a column with identifiers is not a key, and an empty list has none', () => {
  const header = ['id', 'account_id'];
  expect(detectKey(header, rows(header), [0])).toBe('account_id');
  expect(detectKey(header, [], [])).toBeUndefined();
});

test('of several the best is taken: the key of an earlier run, then that of the record', () => {
  const header = ['Contact ID', 'Customer Number', 'Account ID', 'Record ID', 'row_key'];
  for (let left = header.length; left > 0; left -= 1) {
    const some = header.slice(0, left);
    expect(detectKey(some, rows(some), [])).toBe(some.at(-1));
  }
});
