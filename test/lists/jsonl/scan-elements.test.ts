import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readElements } from '../../../src/lists/jsonl.ts';
import { readBack } from '../../support/read-back.ts';

const companies = [{ name: 'Acme' }, { name: 'Foo' }];

test.each([
  ['on one line', JSON.stringify(companies)],
  ['over many lines', `\n${JSON.stringify(companies, null, 2)}\n`],
  ['with an end of line after each', '[{"name":"Acme"},\n{"name":"Foo"},\n]\n'],
  ['as two arrays', '[{"name":"Acme"}]\n[{"name":"Foo"}]'],
])('a JSON array %s is a list', async (_, content) => {
  for (const fileName of ['list.json', 'list.jsonl', 'list.unknown']) {
    const { columns, cells } = await readBack(content, { fileName });
    expect(columns).toEqual(['name']);
    expect(cells).toEqual([['Acme'], ['Foo']]);
  }
});

test('rows of an array have the number of their first line, and a bad one affects no other', async () => {
  const content = '[\n  {"a": "1"},\n  {\n    "a": 01\n  },\n  42,\n  {"a": "2"}\n]\n';
  const { rows } = await readBack(content, { fileName: 'list.json' });
  expect(rows).toEqual([
    { number: 1, line: 2, cells: ['1'] },
    {
      number: 2,
      line: 3,
      cells: [undefined, '{\n    "a": 01\n  }'],
      problem: expect.stringMatching(/^line 3 is not JSON/),
    },
    { number: 3, line: 6, cells: [undefined, '42'], problem: 'line 6 is not a JSON object' },
    { number: 4, line: 7, cells: ['2', undefined] },
  ]);
});

test('any array is cut into its elements, wherever the chunks are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.constantFrom(undefined, 1),
      fc.integer({ min: 1, max: 9 }),
      async (values, indent, size) => {
        const bytes = Buffer.from(JSON.stringify(values, undefined, indent));
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) {
            const chunk = Buffer.from(bytes.subarray(at, at + size));
            yield chunk;
            // What a source does with the memory of a chunk afterwards is its own affair.
            chunk.fill(0);
          }
        }
        const elements = await Array.fromAsync(readElements(chunks(), 'list', 1e6));
        expect(elements.map(({ text }) => JSON.parse(text))).toEqual(JSON.parse(bytes.toString()));
      },
    ),
  );
});
