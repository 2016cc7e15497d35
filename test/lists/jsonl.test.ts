import { expect, test } from 'vitest';
import { parseJsonRecord } from '../../src/lists/jsonl.ts';
import { readBack } from '../support/read-back.ts';

const fileName = 'list.jsonl';

test('each line is a row, and keys are columns in the order they appear', async () => {
  const { columns, rows } = await readBack(
    '\ufeff{"name":"Acme","abn":51824753556}\r\n\n{"site":"foo.com","name":"Foo"}',
    { fileName },
  );
  expect(columns).toEqual(['name', 'abn', 'site']);
  expect(rows).toEqual([
    { number: 1, line: 1, cells: ['Acme', '51824753556', undefined] },
    { number: 2, line: 3, cells: ['Foo', undefined, 'foo.com'] },
  ]);
});

test('a line that is not a JSON object is a row with a problem, and keeps its text', async () => {
  const { columns, rows } = await readBack('{"a":"1"}\n{"a":\n[1,2]\n{"a":"2"}\n', { fileName });
  expect(rows).toEqual([
    { number: 1, line: 1, cells: ['1'] },
    {
      number: 2,
      line: 2,
      cells: [undefined, '{"a":'],
      problem: expect.stringMatching(/^line 2 is not JSON: /),
    },
    { number: 3, line: 3, cells: [undefined, '[1,2]'], problem: 'line 3 is not a JSON object' },
    { number: 4, line: 4, cells: ['2', undefined] },
  ]);
  expect(columns).toEqual(['a', 'unreadable_text']);
});

test('a line over the limit is a row with a problem', async () => {
  const { rows } = await readBack(`{"a":"1"}\n{"a":"${'x'.repeat(3_000_000)}"}\n{"a":"2"}\n`, {
    fileName,
  });
  expect(rows.map((row) => [row.line, row.cells[0], row.problem])).toEqual([
    [1, '1', undefined],
    [2, undefined, 'line 2 is longer than 1048576 bytes'],
    [3, '2', undefined],
  ]);
});

test.each([
  '{"site":{"domain":"acme.com"},"site.domain":"n/a"}',
  '{"site.domain":"acme.com","site":{"domain":"n/a"}}',
])('a nested value and a dotted key of the same name are a problem: %s', async (line) => {
  const { cells, problems } = await readBack(`${line}\n{"site.domain":"b.com"}`, { fileName });
  expect(cells).toEqual([['acme.com'], ['b.com']]);
  expect(problems).toEqual(['line 1 has two values called site.domain', undefined]);
});

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

const companies = [{ name: 'Acme' }, { name: 'Foo' }];

test.each([
  ['on one line', JSON.stringify(companies)],
  ['over many lines', `\n${JSON.stringify(companies, null, 2)}\n`],
  ['with an end of line after each', '[{"name":"Acme"},\n{"name":"Foo"}\n]\n'],
])('a JSON array %s is a list', async (_, content) => {
  for (const fileName of ['list.json', 'list.jsonl', 'list.unknown']) {
    const { columns, cells } = await readBack(content, { fileName });
    expect(columns).toEqual(['name']);
    expect(cells).toEqual([['Acme'], ['Foo']]);
  }
});

test('rows of an array have the number of their element, and a bad one affects no other', async () => {
  const long = `{"a": "${'x'.repeat(2_000_000)}"}`;
  const content = `[\n  {"a": 1.50},\n  {\n    "a": null\n  },\n  42,\n  ${long},\n  {"a": "2"}\n]\n`;
  const { rows } = await readBack(content, { fileName: 'list.json' });
  expect(rows).toEqual([
    { number: 1, line: 1, cells: ['1.50'] },
    { number: 2, line: 2, cells: [undefined] },
    { number: 3, line: 3, cells: [undefined, '42'], problem: 'element 3 is not a JSON object' },
    {
      number: 4,
      line: 4,
      cells: [undefined, undefined],
      problem: 'element 4 is longer than 1048576 bytes',
    },
    { number: 5, line: 5, cells: ['2', undefined] },
  ]);
});

test('an array too large to be parsed whole is refused, with the command that makes lines', async () => {
  const content = `[{"a":"${'x'.repeat(33 * 1024 ** 2)}"}]`;
  await expect(readBack(content, { fileName: 'list.json' })).rejects.toThrow(
    /is a JSON array of more than 32 MB; .* jq -c '\.\[\]' FILE > FILE\.jsonl/,
  );
});
