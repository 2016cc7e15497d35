import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skipSpace, skipValue } from '../../../src/runtime/json/skip-json.ts';
import { bodiesWith } from '../../support/json-texts.ts';

function isWhole(bytes: Buffer): boolean {
  const end = skipValue(bytes, skipSpace(bytes, 0), 0);
  return skipSpace(bytes, end) === bytes.length;
}

function canParse(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

test('takes what JSON.parse takes, and nothing else', () => {
  fc.assert(
    fc.property(bodiesWith(['id', 'name']), (bytes) => {
      expect(isWhole(bytes)).toBe(canParse(bytes));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ...['0', '-0', '-1.5e+10', '10E-2', 'true', 'false', 'null', ' [ ] ', '{ }', '"\\u00aF\\n\\/"'],
  ...['{"a":[1,{"b":"\u2028"}]}', '"\u007f"', '"é"', '[1 , 2]\r\n\t', '{"":{"":[]}}'],
])('takes %j', (text) => expect(isWhole(Buffer.from(text))).toBe(true));

test.each([
  ...['', ' ', '00', '-', '1.', '.1', '+1', '1e', '1e+', '0x1', 'tru', 'truE', 'nulll', 'NaN'],
  ...['"', '"a', '"\\', '"\\"', '"\\u12"', '"\\u12G4"', '"\\a"', '"\n"', '"\u0000"', "'a'"],
  ...['[', '[1', '[1,', '[1,]', '[,1]', '[1 2]', ']', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,'],
  ...['{"a":1,}', '{,}', '{"a",1}', '{a:1}', '{1:1}', '1 2', '[]]', '\u00a01', '1\u2028'],
])('does not take %j', (text) => expect(isWhole(Buffer.from(text))).toBe(false));

test('does not take a control sign within a string, whichever it is', () => {
  for (let sign = 0; sign < 256; sign += 1) {
    expect(isWhole(Buffer.from([0x22, sign, 0x22]))).toBe(
      ![0x22, 0x5c].includes(sign) && sign >= 32,
    );
  }
});

test('knows every sign that may be escaped', () => {
  for (let sign = 0; sign < 256; sign += 1) {
    const bytes = Buffer.from([0x22, 0x5c, sign, 0x22]);
    expect(isWhole(bytes)).toBe(canParse(bytes));
  }
});

test('a value of great depth is not looked into, and exhausts nothing', () => {
  const deep = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
  expect(isWhole(deep(60))).toBe(true);
  expect(isWhole(deep(100_000))).toBe(false);
  expect(isWhole(Buffer.from('{"a":'.repeat(100_000)))).toBe(false);
});
