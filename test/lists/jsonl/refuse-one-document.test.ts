import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

test.each([
  ['one', '{"site":"acme.com","people":[{"name":"A"}]}'],
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
