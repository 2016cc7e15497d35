import { expect, test } from 'vitest';
import { parseJsonRecord } from '../../../src/lists/jsonl.ts';

test.each([
  ['{"abn":51824753556}', '51824753556'],
  ['{"id":12345678901234567890}', '12345678901234567890'],
  ['{"rate":1.50}', '1.50'],
  ['{"ok":true}', 'true'],
  ['{"none":null}', undefined],
  ['{"list":["a",1]}', '["a",1]'],
  [
    '{"list":[{"id":12345678901234567890,"rate":1.50}]}',
    '[{"id":12345678901234567890,"rate":1.50}]',
  ],
  ['{"a":1,"a":2}', '2'],
  ['{"a":[{"rawJSON":"1.50"}]}', '[{"rawJSON":"1.50"}]'],
])('%s has the cell %j', (line, text) => {
  expect(parseJsonRecord(line)).toMatchObject({ cells: [[expect.any(String), text]] });
});

test('a value within an object is a cell that is called by its path', () => {
  const line = '{"id":7,"properties":{"domain":"acme.com","owner":{"rate":1.50,"tags":["a"]}}}';
  expect(parseJsonRecord(line)).toEqual({
    cells: [
      ['id', '7'],
      ['properties.domain', 'acme.com'],
      ['properties.owner.rate', '1.50'],
      ['properties.owner.tags', '["a"]'],
    ],
  });
});

test('an object of many keys, or one that lies deep, is one cell of JSON', () => {
  const days = Object.fromEntries(Array.from({ length: 101 }, (_, day) => [`d${day}`, day]));
  expect(parseJsonRecord(JSON.stringify({ days }))).toEqual({
    cells: [['days', JSON.stringify(days)]],
  });
  const deep = `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`;
  expect(parseJsonRecord(deep)).toEqual({ cells: [['a.a.a.a.a.a.a.a', '{"a":1}']] });
});

test('an object nested too deeply is a problem, not a crash', () => {
  const depth = 200_000;
  const value = (number: string) => `${'['.repeat(depth)}${number}${']'.repeat(depth)}`;
  expect(parseJsonRecord(`{"a":${value('1.5')}}`)).toEqual({ problem: 'nested too deeply' });
  // JSON.parse of Node 26 reads any depth; the cell then holds the text as written.
  const read = parseJsonRecord(`{"a":${value('1')}}`);
  const isWhole = 'cells' in read && read.cells[0]?.[1] === value('1');
  if (!isWhole) expect(read).toEqual({ problem: 'nested too deeply' });
});
