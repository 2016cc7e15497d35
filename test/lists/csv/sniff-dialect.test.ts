import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sniffDialect } from '../../../src/lists/csv/read-csv.ts';
import { readBack } from '../../support/read-back.ts';

const delimiters = [',', ';', '\t', '|'] as const;

test.each(delimiters)('the delimiter %j is detected', async (delimiter) => {
  const { columns, cells } = await readBack(
    ['name, site', 'Acme; Inc', 'a|b'].join('\n').replace(', ', delimiter).replace('; ', delimiter),
    { header: true },
  );
  expect(columns).toEqual(['name', 'site']);
  expect(cells[0]).toEqual(['Acme', 'Inc']);
});

test.each([
  ['decimal commas', 'name;turnover\nAcme;1,5\nFoo;2,7\n', ';'],
  ['commas in the text of some rows', 'site|about\na.com|one, two\nb.com|one\n', '|'],
  ['delimiters inside quotes', '"a;b;c","d"\n"e;f;g","h"\n', ','],
  ['one row that is ragged', 'a;b;c\n1;2;3\n1\n4;5;6\n', ';'],
  ['a stray quote', 'a;b\n"1;2\n3;4\n', ';'],
  ['a single column with commas in it', 'company\nAcme, Inc\nFoo\n', undefined],
  ['a single column', 'website\nacme.com\n', undefined],
  ['column names alone', 'name\tsite', '\t'],
  ['nothing', '', undefined],
])('is not misled by %s', (_, sample, delimiter) => {
  expect(sniffDialect(sample, true, undefined).delimiter).toBe(delimiter);
});

test('a given delimiter is used, whatever the file looks like', async () => {
  const { columns, cells } = await readBack('a,b:c\n1,2:3\n', { delimiter: ':' });
  expect({ columns, cells }).toEqual({ columns: ['a,b', 'c'], cells: [['1,2', '3']] });
});

test.each([
  ['sep=;\nname;a,b\nAcme;1\n'],
  ['\ufeffSEP=;\r\nname;a,b\r\nAcme;1\r\n'],
  ['"sep=;"\nname;a,b\nAcme;1\n'],
])("Excel's line sep= sets the delimiter and is no row: %j", async (content) => {
  const { columns, rows } = await readBack(content);
  expect(columns).toEqual(['name', 'a,b']);
  expect(rows).toEqual([{ number: 1, line: 3, cells: ['Acme', '1'] }]);
});

test('a file named .tsv is delimited by tabs', async () => {
  const { columns } = await readBack('a,b\tc\n1,2\t3\n', { fileName: 'list.tsv' });
  expect(columns).toEqual(['a,b', 'c']);
});

test('the delimiter is found when no other character splits the records as evenly', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '"', '\n', ...delimiters) });
  fc.assert(
    fc.property(
      fc
        .integer({ min: 2, max: 5 })
        .chain((width) =>
          fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 2 }),
        ),
      fc.constantFrom(...delimiters),
      fc.constantFrom('\n', '\r\n'),
      (table, delimiter, lineEnd) => {
        const others = delimiters.filter((other) => other !== delimiter);
        fc.pre(others.every((other) => !cutsEvenly(table, other)));
        const text = stringify(table, {
          delimiter,
          record_delimiter: lineEnd,
          quoted_match: /\n/,
        });
        expect(sniffDialect(text, true, undefined).delimiter).toBe(delimiter);
      },
    ),
    { numRuns: 500 },
  );
});

/** Whether a character that is not the delimiter occurs equally often in each record. */
function cutsEvenly(table: readonly (readonly string[])[], character: string): boolean {
  const counts = table.map((cells) => cells.join('').split(character).length);
  return counts[0] !== 1 && new Set(counts).size === 1;
}
