import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTitleRows, looksLikeHeader, nameColumns } from '../../src/lists/header.ts';
import { readBack } from '../support/read-back.ts';

test.each([
  [['website']],
  [['Company Name', 'ABN', 'Website']],
  [['company.name', 'company.id', 'address.city']],
  [['org.legalName', 'note']],
  [['name', 'acme.com']],
  [['2024', '2025']],
  [['', '']],
])('%j names columns', (cells) => expect(looksLikeHeader(cells)).toBe(true));

test.each([
  [['acme.com.au']],
  [['WWW.ACME.COM']],
  [['tokopedia.id']],
  [['münchen.de']],
  [['株式会社.jp']],
  [['https://acme.com/about?x=1']],
  [['linkedin.com/company/acme']],
  [['info@acme.com']],
  [['51 824 753 556']],
  [['="51824753556"']],
  [['Acme Pty Ltd', 'acme.com', 'Lead']],
  [['Acme', undefined, 'acme.com']],
])('%j is data', (cells) => expect(looksLikeHeader(cells)).toBe(false));

test.each([
  ['a sentence above the names', [['Leads of March'], ['Company', 'Website']], 1],
  ['a title above a list without names', [['Leads'], ['Acme', 'acme.com']], 1],
  ['a title above one column', [['Leads of March'], ['website'], ['acme.com']], 1],
  ['a title that is the name of a column', [['Company'], ['Name', 'Website']], 1],
  [
    'a margin',
    [
      ['', 'Leads'],
      ['', 'Firma', 'Seite'],
    ],
    1,
  ],
])('%s is a title: %j', (_, rows, count) => expect(countTitleRows(rows)).toBe(count));

test.each([
  ['the name of one column', [['website'], ['acme.com'], ['foo.com']]],
  ['any word above one column', [['Kunden'], ['acme.com'], ['foo.com']]],
  ['an identifier', [['acme.com'], ['Foo', 'foo.com']]],
  [
    'a header whose first column has no name',
    [
      ['', 'firma_seite'],
      ['0', 'acme.com'],
    ],
  ],
  ['names alone', [['Company', 'Website']]],
])('%s is not a title: %j', (_, rows) => expect(countTitleRows(rows)).toBe(0));

test.each([',', ';', '\t'])('a title does not hide the delimiter %j', async (delimiter) => {
  const line = (...cells: string[]) => `${cells.join(delimiter)}\r\n`;
  const comma = delimiter === ',' ? '' : ',';
  const title = `Leads${comma} as of March 2026\r\nfor internal use\r\n\r\n`;
  const rows = line('Acme', 'acme.com') + line('Foo', 'foo.com');
  const read = await readBack(title + line('Company', 'Website') + rows);
  expect(read.columns).toEqual(['Company', 'Website']);
  expect(read.rows[0]).toEqual({ number: 1, line: 5, cells: ['Acme', 'acme.com'] });
  expect(read.notes).toEqual([expect.stringContaining('2 rows above the column names')]);
});

test('the given row has the column names, and rows above it are skipped', async () => {
  const text = 'sep=;\nLeads;"of March\nName;Seite\nAcme;acme.com\n';
  const { columns, rows, notes } = await readBack(text, { headerRow: 3 });
  expect(columns).toEqual(['Name', 'Seite']);
  expect(rows).toEqual([{ number: 1, line: 4, cells: ['Acme', 'acme.com'] }]);
  expect(notes).toEqual([]);
  for (const [list, headerRow] of [
    [text, 9],
    ['a,b\n\nName,Site\n', 2],
    ['a,b\n , \nName,Site\n', 2],
    ['a,b\n\n', 2],
  ] as const) {
    await expect(readBack(list, { headerRow })).rejects.toThrow(
      `has no column names in line ${headerRow}: the line is blank or missing`,
    );
  }
});

test.each([
  [
    ['name', 'name', 'name_2'],
    ['name', 'name_3', 'name_2'],
  ],
  [
    ['a', 'b', '', ' '],
    ['a', 'b', 'column_3', 'column_4'],
  ],
  [
    [' name ', 'site\t'],
    ['name', 'site'],
  ],
  [
    ['__proto__', 'constructor', '__proto__'],
    ['__proto__', 'constructor', '__proto___2'],
  ],
])('names %j as %j', (header, columns) => expect(nameColumns(header)).toEqual(columns));

test('no two columns share a name', () => {
  const cell = fc.constantFrom('', ' ', 'a', 'a_2', 'a_3', 'column_1', 'column_2', 'column');
  fc.assert(
    fc.property(fc.array(cell), (header) => {
      const columns = nameColumns(header);
      expect(new Set(columns).size).toBe(header.length);
      expect(columns).not.toContain('');
    }),
  );
});
