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
  ['nothing', '', undefined],
])('is not misled by %s', (_, sample, delimiter) => {
  expect(sniffDialect(sample, true, undefined).delimiter).toBe(delimiter);
});

test.each([['\ufeffSEP=;\r\nname;a,b\r\nAcme;1\r\n'], ['"sep=;"\nname;a,b\nAcme;1\n']])(
  "Excel's line sep= sets the delimiter and is not a row: %j",
  async (content) => {
    const { columns, rows } = await readBack(content);
    expect(columns).toEqual(['name', 'a,b']);
    expect(rows).toEqual([{ number: 1, line: 3, cells: ['Acme', '1'] }]);
  },
);
