import { expect, test } from 'vitest';
import { parseJson, readAnswerJson } from '../../../src/core/values/parse-json.ts';

test.each([
  ['{"id":98765432109876543210}', { id: '98765432109876543210' }],
  ['[ -98765432109876543210]', ['-98765432109876543210']],
  ['{"id":9007199254740991}', { id: 9_007_199_254_740_991 }],
  ['{"id":9007199254740993}', { id: '9007199254740993' }],
  ['{"text":"98765432109876543210"}', { text: '98765432109876543210' }],
  ['{"text":": 98765432109876543210","n":1}', { text: ': 98765432109876543210', n: 1 }],
  ['{"big":12345678901234567.5}', { big: 12_345_678_901_234_568 }],
  ['{"a":1,"b":[2.5,null]}', { a: 1, b: [2.5, null] }],
])('reads %s with every digit of its ids', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test('a byte order mark is not part of an answer', () => {
  expect(readAnswerJson(Buffer.from('\uFEFF{"id":"é"}'))).toEqual({ id: 'é' });
});
