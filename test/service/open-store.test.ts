import { expect, test } from 'vitest';
import { openStore } from '../../src/service/open-store.ts';

const keys = { abn: null, fqdn: null, website: null, network: null };

test('of companies that share a domain, the one of the country answers, else the lowest id', () => {
  using store = openStore(':memory:');
  for (const [id, country] of [
    ['c_3', 'NZ'],
    ['c_2', 'SG'],
    ['c_1', 'NZ'],
    ['c_0', null],
  ] as const) {
    store.putCompany({ ...keys, id, fqdn: 'shared.com', country, body: id });
  }
  const find = (country: 'NZ' | 'SG' | 'AU') =>
    store.findCompany([{ column: 'fqdn', value: 'shared.com' }], country)?.toString();
  expect(find('NZ')).toBe('c_1');
  expect(find('SG')).toBe('c_2');
  expect(find('AU')).toBe('c_0');
});

test('the first key that finds a company decides', () => {
  using store = openStore(':memory:');
  store.putCompany({ ...keys, id: 'c_1', website: 'a.com', country: null, body: 'one' });
  store.putCompany({ ...keys, id: 'c_2', fqdn: 'b.com', country: null, body: 'two' });
  const found = store.findCompany(
    [
      { column: 'fqdn', value: 'a.com' },
      { column: 'website', value: 'a.com' },
      { column: 'fqdn', value: 'b.com' },
    ],
    'AU',
  );
  expect(String(found)).toBe('one');
  expect(store.findCompany([{ column: 'abn', value: 'none' }], 'AU')).toBeUndefined();
  expect(store.findCompany([], 'AU')).toBeUndefined();
});
