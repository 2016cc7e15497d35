import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowPlan } from '../../../../src/identify/identify-row.ts';
import { identifyRow } from '../../../../src/identify/identify-row.ts';
import { keyFromColumns, keyFromIdentity } from '../../../../src/run/list/key/row-key.ts';

test.each([
  [['42'], '42'],
  [[' 0042 '], '0042'],
  [['="0042"'], '0042'],
  [['0015A00002abcDE'], '0015A00002abcDE'],
  [['a|b\\c'], 'a|b\\c'],
  [[''], undefined],
  [['n/a'], undefined],
  [[undefined], undefined],
  [['eu', '42'], 'eu|42'],
  [['', '42'], '|42'],
  [['a|b', 'c\\'], 'a\\|b|c\\\\'],
  [['', '-'], undefined],
])('the cells %j make the key %j', (cells, key) => {
  expect(keyFromColumns(cells, [...cells.keys()])).toBe(key);
});

test('rows that differ in a cell of their key never have one key', () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('|', '\\', 'a', 'b'), maxLength: 4 }),
    fc.constantFrom('', 'x'),
  );
  const row = fc.tuple(cell, cell, cell);
  fc.assert(
    fc.property(row, row, (one, other) => {
      const [key, otherKey] = [one, other].map((cells) => keyFromColumns(cells, [0, 1, 2]));
      return (key === otherKey) === (JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 500 },
  );
});

test('a row without a key has the hash of what it asks for, as the documents say', () => {
  const documented = createHash('sha256').update('["AU","fqdn:acme.com.au"]').digest('hex');
  for (const cell of ['acme.com.au', ' https://www.ACME.com.au/about ', '<ACME.COM.AU>']) {
    expect(hashOf([cell, ''])).toBe(documented.slice(0, 16));
  }
  expect(hashOf(['acme.com.au', 'Australia'])).toBe(hashOf(['acme.com.au', 'AU']));
});

test('a row that asks for nothing has the hash of its cells', () => {
  expect(hashOf(['Not A Domain', ''])).toBe(hashOf([' not a domain', 'AU']));
  expect(hashOf(['not a domain', ''])).not.toBe(hashOf(['nor is this', '']));
  expect(hashOf(['acme.com.au', 'Atlantis'])).toBe(hashOf(['www.acme.com.au', 'ATLANTIS']));
});

test('another country, another identifier and other cells make another row', () => {
  const rows = [
    ['acme.com.au', 'AU'],
    ['acme.com.au', 'NZ'],
    ['acme.com.au', 'Atlantis'],
    ['shop.acme.com.au', 'AU'],
    ['acme.com', 'AU'],
    ['acme', 'AU'],
    ['', 'AU'],
  ];
  expect(new Set(rows.map(hashOf)).size).toBe(rows.length);
});

const plan: RowPlan = {
  identify: [{ index: 0, as: 'fqdn' }],
  country: { index: 1, default: 'AU' },
};

function hashOf(cells: readonly string[]): string {
  const { country, candidates } = identifyRow(cells, plan);
  const asked = candidates.map(({ kind, value }) => [kind, value] as const);
  return keyFromIdentity(cells, plan, { country, candidates: asked });
}
