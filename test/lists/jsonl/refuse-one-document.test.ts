import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

test.each([
  ['one', '{"site":"acme.com","people":[{"name":"A"}]}'],
  ['the first of two', '{"n":1,"people":[{"name":"A"}]}\n{"n":2}\n'],
])('a company with a list in it is a row (%s)', async (_, content) => {
  const { problems } = await readBack(content, { fileName: 'list.jsonl' });
  expect(problems[0]).toBeUndefined();
});

test('an array on the first line of many is a bad row', async () => {
  const { problems } = await readBack('[1,2]\n{"a":"b"}\n', { fileName: 'list.jsonl' });
  expect(problems).toEqual(['line 1 is not a JSON object', undefined]);
});
