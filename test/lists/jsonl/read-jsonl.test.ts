import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

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

test('a file with data as keys does not create endless columns', async () => {
  const lines = Array.from({ length: 120 }, (_, line) =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 100 }, (_, key) => [`k${line}_${key}`, 'x'])),
    ),
  );
  const { columns, problems } = await readBack(lines.join('\n'), { fileName });
  expect(columns).toHaveLength(10_000);
  expect(problems[99]).toBeUndefined();
  expect(problems[100]).toBe('the file has more than 10000 different keys');
});

test.each([
  '{"site":{"domain":"acme.com"},"site.domain":"n/a"}',
  '{"site.domain":"acme.com","site":{"domain":"n/a"}}',
])('a nested value and a dotted key of the same name are a problem: %s', async (line) => {
  const { cells, problems } = await readBack(`${line}\n{"site.domain":"b.com"}`, { fileName });
  expect(cells).toEqual([['acme.com'], ['b.com']]);
  expect(problems).toEqual(['line 1 has two values called site.domain', undefined]);
});
