import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/runtime/json/parse-json.ts';
import { createFieldPicker } from '../../../src/runtime/json/pick-fields.ts';
import { bodiesWith } from '../../support/json-texts.ts';

const pick = createFieldPicker({ id: true, website: true, codes: ['abn', 'acn'] });
const pickFrom = (text: string) => pick(Buffer.from(text));

test('gives the fields that are asked for, and no others', () => {
  const text =
    '{"id":"c_1","name":"Acme","codes":{"sic":"1","abn":"42","acn":null},"deep":{"id":2}}';
  expect(pickFrom(text)).toEqual({ id: 'c_1', codes: { abn: '42', acn: null } });
  expect(pickFrom(' { } ')).toEqual({});
});

test.each([
  ['{"id":"1","id":"2"}', { id: '2' }],
  ['{"codes":{"abn":"1"},"codes":{"acn":"2"}}', { codes: { acn: '2' } }],
  ['{"website":"https:\\/\\/caf\\u00e9.com"}', { website: 'https://café.com' }],
  ['{"id":7,"website":"é\u2028😀"}\n', { id: 7, website: 'é\u2028😀' }],
  ['{"id":98765432109876543210}', { id: '98765432109876543210' }],
  ['{"id":[{"abn":1}],"codes":[{"abn":1}]}', { id: [{ abn: 1 }], codes: [{ abn: 1 }] }],
  ['{"id":{"a":true},"codes":"none"}', { id: { a: true }, codes: 'none' }],
  ['{"__proto__":{"id":"1"},"constructor":1}', {}],
])('reads %s as JSON.parse does', (text, fields) => expect(pickFrom(text)).toEqual(fields));

test('what is no UTF-8 is read as every reader does', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"id":"'),
    Buffer.from([0xe2, 0x82]),
    Buffer.from('"}'),
  ]);
  expect(pick(bytes)).toEqual({ id: '\uFFFD' });
});

describe('leaves to others', () => {
  test.each(['', '[]', '"id"', '7', 'null', '{"id":1', '{"id":1}}', '{"id":1} x', '{"id":01}'])(
    '%j, which is no object',
    (text) => expect(pickFrom(text)).toBeUndefined(),
  );

  test('a key with an escape, a byte order mark and great depth', () => {
    expect(pickFrom('{"\\u0069d":"1"}')).toBeUndefined();
    expect(pickFrom('{"codes":{"ab\\u006e":"1"}}')).toBeUndefined();
    expect(pickFrom('\uFEFF{"id":"1"}')).toBeUndefined();
    expect(pickFrom(`{"id":"1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toBeUndefined();
  });
});

test('reads what reading everything would, or nothing', () => {
  let read = 0;
  fc.assert(
    fc.property(bodiesWith(['id', 'website', 'codes'], ['abn', 'acn']), (bytes) => {
      const fields = pick(bytes);
      if (fields === undefined) return;
      read += 1;
      expect(fields).toEqual(onlyWanted(parseJson(bytes.toString('utf8'))));
    }),
    { numRuns: 3_000 },
  );
  expect(read).toBeGreaterThan(500);
});

function onlyWanted(json: unknown): unknown {
  const { codes, ...fields } = only(json, ['id', 'website', 'codes']);
  if (codes === undefined) return fields;
  const isObject = typeof codes === 'object' && codes !== null && !Array.isArray(codes);
  return { ...fields, codes: isObject ? only(codes, ['abn', 'acn']) : codes };
}

function only(value: unknown, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value as object).filter(([name]) => names.includes(name)),
  );
}
