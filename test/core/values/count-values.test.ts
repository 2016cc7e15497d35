import { expect, test } from 'vitest';
import { hasMoreValues } from '../../../src/core/values/count-values.ts';

test.each([
  ['objects', `[${'{},'.repeat(50)}{}]`],
  ['lists within lists', '['.repeat(101) + ']'.repeat(101)],
  ['numbers after a byte order mark', `\uFEFF[${'1,'.repeat(101)}1]`],
  ['fields', `{${'"a":1,'.repeat(101)}"a":1}`],
])('many %s are more than a hundred values', (_what, json) => {
  expect(hasMoreValues(Buffer.from(json), 100)).toBe(true);
});

test.each([
  ['a text that is full of commas', `["${',[{'.repeat(100)}"]`],
  ['a text with quotes in it', String.raw`["\",${',[{'.repeat(100)}\\"]`],
  ['a text that does not end', `["${',[{'.repeat(100)}`],
  ['what is no JSON', `<p>${',[{'.repeat(100)}`],
  ['a hundred values', `[${'1,'.repeat(98)}1]`],
])('%s is not', (_what, json) => {
  expect(hasMoreValues(Buffer.from(json), 100)).toBe(false);
});
