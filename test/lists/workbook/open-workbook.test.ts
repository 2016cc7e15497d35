import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { makeWorkbook, textRow, workbookParts } from '../../support/make-workbook.ts';
import { makeZip } from '../../support/make-zip.ts';
import { readBack } from '../../support/read-back.ts';

const fileName = 'leads.xlsx';
const sheets = [
  { name: 'Leads', rows: textRow(1, 'Website') },
  { name: 'Old', state: 'hidden' as const, rows: '' },
];
const whole = makeWorkbook({ sheets });

test.each([
  [
    'a zip of something else',
    makeZip({ 'readme.txt': 'hello' }),
    /is a zip file, not a list: unpack it/,
  ],
  ['an OpenDocument sheet', makeZip({ mimetype: 'x', 'content.xml': '' }), /OpenDocument.*\.xlsx/],
  ['a binary workbook', makeZip({ 'xl/workbook.bin': '' }), /binary Excel workbook.*save it as/],
  ['a Word document', makeZip({ 'word/document.xml': '' }), /a Word document.*save it as/],
  ['a workbook without sheets', makeZip(workbookParts({ sheets: [] })), /without any sheet/],
  [
    'a workbook that is cut short',
    whole.subarray(0, -40),
    /is damaged \(it is cut short\)\. Open it and save it once more/,
  ],
  [
    'a part that says nothing of its size',
    makeZip(workbookParts({ sheets }), { plainBytes: 0 }),
    /cannot be trusted/,
  ],
  [
    'a part that swells a thousandfold',
    makeZip({ ...workbookParts({ sheets }), 'xl/media/image.png': Buffer.alloc(9 * 1024 * 1024) }),
    /cannot be trusted: xl\/media\/image\.png would unpack/,
  ],
  [
    'more than a part says',
    makeZip(workbookParts({ sheets: [{ name: 'Leads', rows: textRow(1, 'a'.repeat(999)) }] }), {
      plainBytes: 600,
    }),
    /is damaged .*limit of 600 bytes/,
  ],
])('%s is refused with a sentence', async (_, zip, message) => {
  await expect(readBack(zip, { fileName })).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringMatching(message),
  });
});

test('the error for an empty sheet names it', async () => {
  await expect(readBack(whole, { fileName, sheet: 'Old' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('the sheet "Old" is empty'),
  });
});

test.each([
  ['Laeds', /no sheet "Laeds"; did you mean "Leads"\? It has: "Leads", "Old"$/],
  ['Customers', /no sheet "Customers"\. It has: "Leads", "Old"$/],
])('the error for an unknown sheet %s lists the sheets', async (sheet, message) => {
  await expect(readBack(whole, { fileName, sheet })).rejects.toMatchObject({
    code: 'COLUMNS_UNCLEAR',
    message: expect.stringMatching(message),
  });
});

test('text that would not fit into memory is refused before it is unpacked', async () => {
  const zip = Buffer.from(whole);
  const entry = zip.lastIndexOf('PK\x01\x02', zip.lastIndexOf('xl/sharedStrings.xml'), 'latin1');
  // Offset of the declared size of the shared strings.
  zip.writeUInt32LE(0x3fff_ffff, entry + 20);
  zip.writeUInt32LE(0x7fff_ffff, entry + 24);
  await expect(readBack(zip, { fileName })).rejects.toThrow(
    /more text than fits into memory.*Save it as CSV/,
  );
});

test('Zip64 sizes are read', async () => {
  const zip = Buffer.from(whole);
  const at = zip.indexOf('PK\x01\x02', 'latin1');
  const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(zip.readUInt32LE(at + 24)), 4);
  zip.writeUInt32LE(0xffff_ffff, at + 24);
  zip.writeUInt16LE(extra.length, at + 30);
  const widened = Buffer.concat([zip.subarray(0, nameEnd), extra, zip.subarray(nameEnd)]);
  expect((await readBack(widened, { fileName })).columns).toEqual(['Website']);
});

test('a workbook with any byte wrong is read as it was or refused', async () => {
  const list = makeWorkbook({
    sheets: [{ name: 'Leads', rows: textRow(1, 'Website') + textRow(2, 'acme.com') }],
  });
  await fc.assert(
    fc.asyncProperty(fc.nat(list.length - 1), fc.nat(255), async (at, byte) => {
      const damaged = Buffer.from(list);
      damaged[at] = byte;
      const read = await readBack(damaged, { fileName }).catch((error) => error);
      if (read instanceof DossierError) return;
      expect(read.cells).toEqual([['acme.com']]);
    }),
    { numRuns: 300 },
  );
});

test('attributes may hold a `>` and stand on lines of their own', async () => {
  const rows = `<row r='1'
    ht = "1>2"><c	t="str" r='C1' ><v>website</v ></c></row >`;
  const { columns } = await readBack(makeWorkbook({ sheets: [{ name: 'a>b', rows }] }), {
    fileName,
    sheet: 'a>b',
    header: true,
  });
  expect(columns[2]).toBe('website');
});
