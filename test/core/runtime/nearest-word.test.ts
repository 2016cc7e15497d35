import { expect, test } from 'vitest';
import { nearestWord } from '../../../src/core/runtime/nearest-word.ts';

const keys = ['pageSize', 'maxPerCompany', 'rate', 'as', 'bom'];

test.each([
  ['pagesize', 'pageSize'],
  ['page_size', 'pageSize'],
  ['pageSzie', 'pageSize'],
  ['max-per-compny', 'maxPerCompany'],
  ['rte', 'rate'],
  ['AS', 'as'],
  ['bon', 'bom'],
])('%s means %s', (word, meant) => expect(nearestWord(word, keys)).toBe(meant));

test.each(['', '--', 'x', 'colour', 'rotten'])('%j means none of them', (word) => {
  expect(nearestWord(word, keys)).toBeUndefined();
});
