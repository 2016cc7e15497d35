import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText } from '../../../src/core/values/json-text.ts';

test('the text equals that of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonText(value)).toBe(JSON.stringify(value));
    }),
  );
});

test('half of a surrogate pair becomes the replacement character', () => {
  expect(JSON.parse(jsonText({ a: 'x\ud800\udc00y\ud800\ud801' }))).toEqual({
    a: 'x\u{10000}y\ufffd\ufffd',
  });
});
