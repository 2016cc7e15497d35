import { gzipSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { makeWorkbook, textRow, workbookParts } from '../../support/make-workbook.ts';
import { makeZip } from '../../support/make-zip.ts';
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

test.each([
  ['list.csv', (zip: Buffer) => zip],
  ['leads.xlsx.gz', (zip: Buffer) => gzipSync(zip)],
])('a workbook called %s is recognised by its bytes', async (name, pack) => {
  const zip = oneSheet(textRow(1, 'Website') + textRow(2, 'acme.com'));
  expect((await readBack(pack(zip), { fileName: name })).cells).toEqual([['acme.com']]);
});

test('a cut sheet is refused, and not read in part', async () => {
  const above = textRow(1, 'Website') + textRow(2, 'acme.com');
  const parts = workbookParts({ sheets: [{ name: 'Leads', rows: above }] });
  const sheet = 'xl/worksheets/sheet1.xml';
  const cut = makeZip({ ...parts, [sheet]: parts[sheet]?.replace(/<.sheetData>.*/, '') ?? '' });
  await expect(readBack(cut, { fileName })).rejects.toThrow(
    /is damaged at row 2 .*unclosed tag.*save it again, or save it as CSV/,
  );
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
  for (const headerRow of [2, 9]) {
    await expect(readBack(oneSheet(rows), { fileName, headerRow })).rejects.toThrow(
      `has no column names in row ${headerRow}: the row is blank or missing`,
    );
  }
  const many = Array.from({ length: 5_000 }, (_, at) => textRow(at + 1, `a${at}`));
  const below = await readBack(oneSheet(many.join('')), { fileName, headerRow: 4_500 });
  expect(below).toMatchObject({ columns: ['a4499'], rows: { length: 500 } });
});

const cellsOf = async (xml: string, formats: readonly string[] = []) => {
  const { rows } = await readBack(oneSheet(textRow(1, 'A') + xml, { formats }), { fileName });
  return rows.map(({ cells }) => cells[0]);
};

test.each([
  ['51824753556001', '51824753556001'],
  ['1.5e21', '1500000000000000000000'],
  ['0.30000000000000004', '0.3'],
])('the number %s is written %s', async (number, text) => {
  expect(await cellsOf(`<row r="2"><c r="A2"><v>${number}</v></c></row>`)).toEqual([text]);
});

test.each([
  ['000000000', '4085616', '004085616'],
  ['00\\ 000\\ 000\\ 000', '5', '00000000005'],
  ['000&quot; &quot;000', '-5', '-000005'],
  ['#,##0', '5', '5'],
  ['yyyy\\-mm\\-dd', '46082', '2026-03-01'],
  ['[$-409]d/m/yy h:mm', '46082.39583333', '2026-03-01T09:30:00'],
  ['[h]:mm:ss', '0.39583333333', '09:30:00'],
  ['d/m/yyyy', '1e12', '#####'],
  ['d/m/yyyy', '59', '1900-02-28'],
])('in the format %s the number %s is %s', async (format, number, text) => {
  const xml = `<row r="2"><c r="A2" s="1"><v>${number}</v></c></row>`;
  expect(await cellsOf(xml, [format])).toEqual([text]);
});

test('entities and cells without a place are read; places of buttons are not', async () => {
  const xml = `<row><c t='str'><v>R&amp;D &lt;1&gt; &#39;x&#x27; &#x1F600;<![CDATA[ <b>]]></v></c><!-- note --></row></sheetData><anchor><xdr:row>3</xdr:row></anchor><sheetData>`;
  expect(await cellsOf(xml)).toEqual([`R&D <1> 'x' 😀 <b>`]);
});

test('tags with a prefix are read', async () => {
  const parts = workbookParts({ sheets: [{ name: 'Leads', rows: leads }] });
  const prefixed = Object.entries(parts).map(([path, xml]) => [
    path,
    path.includes('_rels') ? xml : xml.replaceAll(/<(\/?)(?=\w)/g, '<$1x:'),
  ]);
  const { cells } = await readBack(makeZip(Object.fromEntries(prefixed)), { fileName });
  expect(cells).toEqual([['Acme', 'acme.com']]);
});

const notes =
  textRow(1, 'How to use this file') + textRow(2, 'Ask jane@acme.com') + textRow(3, 'Thanks');
const leads = textRow(1, 'Company', 'Website') + textRow(2, 'Acme', 'acme.com');

test('the first visible sheet with identifiers is the list', async () => {
  const zip = makeWorkbook({
    sheets: [
      { name: 'Old', state: 'hidden', rows: leads },
      { name: 'Notes', rows: notes },
      { name: 'Empty', rows: '' },
      { name: 'Leads', rows: leads },
      { name: 'More', rows: leads },
    ],
  });
  expect(await readBack(zip, { fileName })).toMatchObject({
    sheet: { name: 'Leads', others: ['Notes', 'Empty', 'More'], lists: ['More'] },
    cells: [['Acme', 'acme.com']],
  });
  expect((await readBack(zip, { fileName, sheet: 'Notes' })).sheet?.name).toBe('Notes');
});

test('a workbook that lacks a text is refused', async () => {
  const rows = `${textRow(1, 'Website')}<row r="2"><c r="A2" t="s"><v>7</v></c></row>${textRow(3, 'b.com')}`;
  await expect(readBack(oneSheet(rows), { fileName })).rejects.toThrow(
    /is damaged at row 2 \(the text of a cell is missing\)\. Open it and save it again/,
  );
});
