import { expect, test } from 'vitest';
import { coerce } from '../../../src/core/columns/flatten-answer.ts';

test.each([
  ['text', 'abc', 'abc'],
  ['text', 51824753556, '51824753556'],
  ['text', 0.87, '0.87'],
  ['integer', 12.0, 12],
  ['integer', '1234', 1234],
  ['integer', '-7', -7],
  ['decimal', '0.413', 0.413],
  ['decimal', 3, 3],
  ['boolean', 'true', true],
  ['boolean', 0, false],
  ['list', 'only', ['only']],
  ['list', '', []],
  ['list', ['a', 7, null], ['a', '7']],
] as const)('as %s, %j is %j', (type, value, cell) => expect(coerce(type, value)).toEqual(cell));

test.each([
  ['text', true],
  ['text', ['a']],
  ['text', { a: 1 }],
  ['integer', '1,234'],
  ['integer', '0123'],
  ['integer', ' 12'],
  ['integer', '12.0'],
  ['integer', '-0'],
  ['integer', ''],
  ['integer', 12.5],
  ['integer', 2 ** 53],
  ['integer', '9007199254740993'],
  ['decimal', '1e3'],
  ['decimal', '.5'],
  ['decimal', '0.1234567890123456'],
  ['decimal', 'NaN'],
  ['boolean', 'yes'],
  ['boolean', 2],
  ['list', ['a', { b: 1 }]],
  ['list', ['a', true]],
  ['list', { a: 'b' }],
  ['list', false],
] as const)('as %s, %j would be a guess', (type, value) => {
  expect(coerce(type, value)).toBeUndefined();
});
