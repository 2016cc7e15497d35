import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RowPlan } from '../../../src/core/identify/identify-row.ts';
import { identifyRow } from '../../../src/core/identify/identify-row.ts';
import {
  createUniqueKeys,
  keyFromColumns,
  keyFromIdentifiers,
  noRepeats,
} from '../../../src/run/list/row-keys.ts';

test.each([
  [['42'], '42'],
  [[' 0042 '], '0042'],
  [['="0042"'], '0042'],
  [['a|b\\c'], 'a|b\\c'],
  [['A\u20131'], 'A\u20131'],
  [[''], undefined],
  [[undefined], undefined],
  [['eu', '42'], 'eu|42'],
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
    { numRuns: 200 },
  );
});

test('a row without a key gets the documented hash of its identifiers', () => {
  const documented = createHash('sha256').update('["AU","fqdn:acme.com.au"]').digest('hex');
  for (const cell of ['acme.com.au', ' https://www.ACME.com.au/about ', '<ACME.COM.AU>']) {
    expect(hashOf([cell, ''])).toBe(documented.slice(0, 16));
  }
  expect(hashOf(['acme.com.au', 'Australia'])).toBe(hashOf(['acme.com.au', 'AU']));
});

test('a row without identifiers gets the hash of its cells', () => {
  expect(hashOf(['Not A Domain', ''])).toBe(hashOf([' not a domain', 'AU']));
  expect(hashOf(['not a domain', ''])).not.toBe(hashOf(['nor is this', '']));
  expect(hashOf(['acme.com.au', 'Atlantis'])).toBe(hashOf(['www.acme.com.au', 'ATLANTIS']));
});

const plan: RowPlan = {
  identify: [{ index: 0, as: 'fqdn' }],
  country: { index: 1, default: 'AU' },
};

function hashOf(cells: readonly string[]): string {
  const { country, candidates } = identifyRow(cells, plan);
  const asked = candidates.map(({ kind, value }) => [kind, value] as const);
  return keyFromIdentifiers({ cells, country, candidates: asked }, plan);
}

test('no two rows have the same key, and only repeats are numbered', () => {
  const key = fc.oneof(
    fc.constantFrom('', 'a', 'b', 'a#2', 'a#3', 'a#2#2', 'b#'),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (given) => {
      const { keys, repeats } = take(given);
      const numbered = keys.filter((taken, index) => taken !== given[index]);
      return (
        new Set(keys).size === keys.length &&
        repeats.rows === numbered.length &&
        keys.every((taken, index) => /^(?:#\d+)?$/.test(taken.slice(given[index]?.length)))
      );
    }),
  );
});

test('rows of a long list get unique keys like those of a short one, even if all repeat', () => {
  const numbers = Array.from({ length: 3_000 }, (_, index) => String(index));
  const { keys, repeats } = take([...numbers, ...numbers]);
  expect(keys).toEqual([...numbers, ...numbers.map((number) => `${number}#2`)]);
  expect(repeats).toEqual({ rows: 3_000, first: { key: '0', numbers: [1, 3_001] } });
  expect(take(numbers.map(() => 'one')).keys.at(-1)).toBe('one#3000');
});

function take(given: readonly string[]) {
  const unique = createUniqueKeys();
  const repeats = noRepeats();
  const keys = given.map((key, index) => unique(key, index + 1, repeats));
  return { keys, repeats };
}
