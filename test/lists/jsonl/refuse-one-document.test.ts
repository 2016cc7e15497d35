import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

test.each([
  ['indented', '\n{\n  "name": "Acme"\n}\n'],
  ['wrapped', '{"name": "Acme",\n "site": "acme.com"}\n'],
])(
  'an object over many lines is refused, with the command that joins it (%s)',
  async (_, content) => {
    await expect(readBack(content, { fileName: 'list.json' })).rejects.toThrow(
      'has a JSON object over many lines; Dossier reads one object a line, or an array of objects: jq -c . FILE > FILE.jsonl',
    );
  },
);

const rows = [{ name: 'Acme', site: 'acme.com' }];
test.each([
  ['on one line', JSON.stringify({ total: 1, results: rows }), '"results"', 'jq .results FILE'],
  ['indented', JSON.stringify({ 'my rows': rows }, null, 2), '"my rows"', `jq '.["my rows"]' FILE`],
  ['long', JSON.stringify({ data: Array(5_000).fill(rows[0]) }), '"data"', 'jq .data FILE'],
])(
  'an object that holds the whole list is refused, with the command that takes it out (%s)',
  async (_, content, key, command) => {
    await expect(readBack(content, { fileName: 'list.json' })).rejects.toThrow(
      `is one JSON object with its rows in ${key}; Dossier reads one object a line, or an array of objects: ${command} > ROWS.json`,
    );
  },
);

test.each([
  ['one', '{"site":"acme.com","people":[{"name":"A"}]}'],
  ['the only one, identified behind its list', '{"people":[{"name":"A"}],"site":"acme.com"}'],
  ['the first of two', '{"n":1,"people":[{"name":"A"}]}\n{"n":2}\n'],
])('a company with a list in it is a row (%s)', async (_, content) => {
  const { problems } = await readBack(content, { fileName: 'list.jsonl' });
  expect(problems[0]).toBeUndefined();
});

test('one object on one line is one row', async () => {
  const { cells } = await readBack('{"name": "Acme"}', { fileName: 'list.json' });
  expect(cells).toEqual([['Acme']]);
});

test('an array on the first line of many is a bad row', async () => {
  const { problems } = await readBack('[1,2]\n{"a":"b"}\n', { fileName: 'list.jsonl' });
  expect(problems).toEqual(['line 1 is not a JSON object', undefined]);
});

test('a broken first line does not spoil the lines below', async () => {
  const { cells } = await readBack('{"a":\n{"a":"b"}\n', { fileName: 'list.jsonl' });
  expect(cells).toEqual([
    [undefined, '{"a":'],
    ['b', undefined],
  ]);
});

test('a file without lines is refused as empty', async () => {
  await expect(readBack('\n\n', { fileName: 'list.jsonl' })).rejects.toThrow(
    'is empty: it needs one JSON object a line',
  );
});
