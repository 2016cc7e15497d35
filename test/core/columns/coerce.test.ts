import { expect, test } from 'vitest';
import { coerce } from '../../../src/core/columns/flatten-answer.ts';

test.each([
  ['text', 'abc', 'abc'],
  ['text', 51824753556, '51824753556'],
  ['integer', 12.0, 12],
  ['integer', '1234', 1234],
  ['decimal', '0.413', 0.413],
  ['boolean', 'true', true],
  ['boolean', 0, false],
  ['list', 'only', ['only']],
  ['list', '', []],
  ['list', ['a', 7, null], ['a', '7']],
] as const)('as %s, %j is %j', (type, value, cell) => expect(coerce(type, value)).toEqual(cell));

test.each([
  ['text', true],
  ['text', { a: 1 }],
  ['integer', '1,234'],
  ['integer', '0123'],
  ['integer', '-0'],
  ['integer', 2 ** 53],
  ['integer', '9007199254740993'],
  ['decimal', '1e3'],
  ['decimal', '0.1234567890123456'],
  ['boolean', 'yes'],
  ['list', ['a', { b: 1 }]],
  ['list', { a: 'b' }],
] as const)('as %s, %j would be a guess', (type, value) => {
  expect(coerce(type, value)).toBeUndefined();
});
