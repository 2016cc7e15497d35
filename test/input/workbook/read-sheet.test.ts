import { gzipSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { identifyCell } from '../../../src/identify/identify-cell.ts';
import { makeWorkbook, textRow } from '../../support/make-workbook.ts';
import { readBack } from '../../support/read-back.ts';

const fileName = 'leads.xlsx';
const oneSheet = (rows: string, rest: Partial<Parameters<typeof makeWorkbook>[0]> = {}) =>
  makeWorkbook({ sheets: [{ name: 'Leads', rows }], ...rest });

test('a workbook of another program is read with its types', async () => {
  const written = await writeXlsx({
    sheets: [
      {
        name: 'Leads',
        rows: [
          ['Company', 'ABN', 'Since', 'Customer'],
          ['Acme & Söhne', 51824753556, new Date('2024-02-29T00:00:00Z'), true],
          ['R&D "Ünal"', '53 004 085 616', null, false],
        ],
      },
    ],
  });
  const { columns, hasHeader, rows } = await readBack(Buffer.from(written), { fileName });
  expect({ columns, hasHeader }).toEqual({
    columns: ['Company', 'ABN', 'Since', 'Customer'],
    hasHeader: true,
  });
  expect(rows).toEqual([
    { number: 1, line: 2, cells: ['Acme & Söhne', '51824753556', '2024-02-29', 'TRUE'] },
    { number: 2, line: 3, cells: ['R&D "Ünal"', '53 004 085 616', undefined, 'FALSE'] },
  ]);
});

test('the first sheet that is not hidden is read, and a named one, hidden or not', async () => {
  const zip = makeWorkbook({
    sheets: [
      { name: 'Lists', state: 'hidden', rows: textRow(1, 'Country') },
      { name: 'Secret', state: 'veryHidden', rows: textRow(1, 'Phone') },
      { name: 'R&amp;D leads', rows: textRow(1, 'Website') },
      { name: 'Notes', rows: textRow(1, 'Name') },
    ],
  });
  expect(await readBack(zip, { fileName })).toMatchObject({
    columns: ['Website'],
    sheet: { name: 'R&D leads', others: ['Notes'] },
  });
  expect((await readBack(zip, { fileName, sheet: 'notes' })).columns).toEqual(['Name']);
  expect((await readBack(zip, { fileName, sheet: 'Lists' })).columns).toEqual(['Country']);
});

test('blank rows and columns around and between the rows are left out', async () => {
  const rows = [
    '<row r="1"/>',
    textRow(3, 'Name', 'Website', '', ' '),
    textRow(4, 'Acme', 'acme.com', ''),
    '<row r="5"><c r="A5" s="0"/><c r="H5"/></row>',
    textRow(7, '', 'other.com'),
    '<row r="8"/><row r="1048576"/>',
  ].join('');
  const read = await readBack(oneSheet(rows), { fileName });
  expect(read.columns).toEqual(['Name', 'Website']);
  expect(read.rows).toEqual([
    { number: 1, line: 4, cells: ['Acme', 'acme.com'] },
    { number: 2, line: 7, cells: ['', 'other.com'] },
  ]);
});

test('a cell beyond the header adds a column, early or late', async () => {
  const many = Array.from({ length: 150 }, (_, index) => textRow(index + 2, 'Acme', 'acme.com'));
  const rows = [textRow(1, 'Name', 'Website'), ...many, textRow(152, 'Last', 'b.com', '', 'note')];
  const read = await readBack(oneSheet(rows.join('')), { fileName });
  expect(read.columns).toEqual(['Name', 'Website', 'column_3', 'column_4']);
  expect(read.cells.at(-1)).toEqual(['Last', 'b.com', '', 'note']);
});

test('a sheet without a header is read from its first row', async () => {
  const rows = textRow(1, 'acme.com') + textRow(2, 'other.com');
  const read = await readBack(oneSheet(rows), { fileName });
  expect(read).toMatchObject({ hasHeader: false, columns: ['column_1'] });
  expect(read.cells).toEqual([['acme.com'], ['other.com']]);
  expect((await readBack(oneSheet(rows), { fileName, header: true })).columns).toEqual([
    'acme.com',
  ]);
});

test('formulas give their last result, errors their code, shared and rich text its words', async () => {
  const sharedStrings =
    '<si><t>ABN</t></si><si><r><t>5182</t></r><r><rPr><b/></rPr><t>4753556</t></r></si><si><t>a_x000D_b</t></si>';
  const rows = [
    '<row r="1"><c r="A1" t="s"><v>0</v></c></row>',
    '<row r="2"><c r="A2" t="s"><v>1</v></c></row>',
    '<row r="3"><c r="A3" t="str"><f>A1&amp;B1</f><v>acme.com</v></c></row>',
    '<row r="4"><c r="A4"><f>1+1</f><v>2</v></c></row>',
    '<row r="5"><c r="A5" t="e"><v>#REF!</v></c></row>',
    '<row r="6"><c r="A6" t="s"><v>2</v></c></row>',
  ].join('');
  const { cells } = await readBack(oneSheet(rows, { sharedStrings }), { fileName });
  expect(cells.flat()).toEqual(['51824753556', 'acme.com', '2', '#REF!', 'a\rb']);
});

test('leading zeros that a number format shows are kept, as a company number needs them', async () => {
  const rows = `${textRow(1, 'ACN')}<row r="2"><c r="A2" s="1"><v>4085616</v></c></row>`;
  const { cells } = await readBack(oneSheet(rows, { formats: ['000\\ 000\\ 000'] }), { fileName });
  expect(cells).toEqual([['004085616']]);
  expect(identifyCell('004085616', 'abn')).toMatchObject({ kind: 'abn', derivedFrom: 'acn' });
});

test('an ABN stored as a number keeps its digits, and a rounded one is rejected', async () => {
  const rows = `${textRow(1, 'ABN')}<row r="2"><c r="A2"><v>5.1824753556E10</v></c></row><row r="3"><c r="A3"><v>51824750000</v></c></row>`;
  const { cells } = await readBack(oneSheet(rows), { fileName });
  expect(cells.flat().map((cell) => identifyCell(cell ?? '', 'abn'))).toMatchObject([
    { kind: 'abn', value: '51824753556' },
    { reject: 'precision_lost' },
  ]);
});

test.each([
  [false, '2024-03-01'],
  [true, '2028-03-02'],
])('dates count from 1904 where the workbook says so: %s', async (is1904, date) => {
  const rows = `${textRow(1, 'Since')}<row r="2"><c r="A2" s="1"><v>45352</v></c></row>`;
  const { cells } = await readBack(oneSheet(rows, { formats: ['yyyy\\-mm\\-dd'], is1904 }), {
    fileName,
  });
  expect(cells).toEqual([[date]]);
});

test.each([
  ['list.csv', (zip: Buffer) => zip],
  ['export', (zip: Buffer) => zip],
  ['leads.xlsx.gz', (zip: Buffer) => gzipSync(zip)],
])('a workbook called %s is recognised by its bytes', async (name, pack) => {
  const zip = oneSheet(textRow(1, 'Website') + textRow(2, 'acme.com'));
  expect((await readBack(pack(zip), { fileName: name })).cells).toEqual([['acme.com']]);
});

test('the error for a sheet damaged in the middle names the last good row', async () => {
  const rows = `${textRow(1, 'Website')}${textRow(2, 'acme.com')}<row r="3"><c r="ZZZZZ3"><v>1</v></c></row>`;
  await expect(readBack(oneSheet(rows), { fileName })).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringMatching(/sheet "Leads" is damaged behind row 2 .*save it as CSV/),
  });
});

test('a title above the names is skipped, and another row may be named', async () => {
  const rows = [
    textRow(1, 'Leads of March'),
    textRow(3, 'Company', 'Website'),
    textRow(4, 'Acme', 'acme.com'),
  ].join('');
  const { columns, rows: read, notes } = await readBack(oneSheet(rows), { fileName });
  expect(columns).toEqual(['Company', 'Website']);
  expect(read).toEqual([{ number: 1, line: 4, cells: ['Acme', 'acme.com'] }]);
  expect(notes).toEqual([expect.stringContaining('one row above the column names is skipped')]);
  const named = await readBack(oneSheet(rows), { fileName, headerRow: 4 });
  expect(named).toMatchObject({ columns: ['Acme', 'acme.com'], rows: [], notes: [] });
  await expect(readBack(oneSheet(rows), { fileName, headerRow: 9 })).rejects.toThrow(
    'has no row 9',
  );
});
