import { writeXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import type { InputOptions } from '../../src/lists/open-input.ts';
import { makeWorkbook, textRow, workbookParts } from '../support/make-workbook.ts';
import { makeZip } from '../support/make-zip.ts';
import { readBack } from '../support/read-back.ts';
import { writeDuckdb } from '../support/write-duckdb.ts';

const header = 'name,site,country\n';
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const xlsx = { fileName: 'leads.xlsx' };
const json = { fileName: 'list.json' };
const parquet = { fileName: 'leads.parquet' };

const sheets = [
  { name: 'Leads', rows: textRow(1, 'Website') + textRow(2, 'acme.com') },
  { name: 'Old', state: 'hidden' as const, rows: '' },
];
const workbook = makeWorkbook({ sheets });
const sheetOf = (rows: string) => makeWorkbook({ sheets: [{ name: 'Leads', rows }] });
const locked = await writeXlsx({
  sheets: [{ name: 'Leads', rows: [['Website']] }],
  encryption: { password: 'secret', spinCount: 1 },
});

/** A workbook with other numbers in the directory entry of a part. */
function withEntry(part: string, changes: Readonly<Record<number, number>>): Buffer {
  const zip = Buffer.from(workbook);
  const entry = zip.lastIndexOf('PK\x01\x02', zip.lastIndexOf(part), 'latin1');
  for (const [offset, value] of Object.entries(changes)) {
    zip.writeUInt32LE(value, entry + Number(offset));
  }
  return zip;
}

const duckdb = `select 'acme.com' as domain`;
const stored = await writeDuckdb(duckdb, 'format parquet');
const poem = (lines: number) =>
  `${header}Foo,foo.com,AU\nAcme,acme.com,"${'la la\n'.repeat(lines)}`;

type Refused = [
  what: string,
  content: string | Buffer,
  message: RegExp,
  options?: InputOptions & { fileName?: string },
];

const refused: Readonly<Record<string, readonly Refused[]>> = {
  INPUT_INVALID: [
    ['no bytes', '', /list\.csv is empty: it needs a line of column names/],
    ["Excel's first line", 'sep=;\n', /is empty/],
    [
      'a quote before the end',
      poem(5),
      /line 3: a quote opens here .* before the file ends\. Close/,
    ],
    ['a quote before much text', poem(200_000), /line 3: a quote .* within 1048576 characters/],
    ['a quote in a later line', `${header}"A\nB\nC","acme\nla\nla\n`, /line 4: a quote/],
    [
      'column names without end',
      `\n${'x'.repeat(200)},b\n1,2\n`,
      /line 2: the column names cannot be read: the record on line 2 is longer/,
      { maxRecordLength: 100 },
    ],
    [
      'a byte beside UTF-8',
      Buffer.concat([Buffer.from('name\nCafé\n'), latin1('Caf\xe9\n')]),
      /is not UTF-8: line 3 has a byte .* with --encoding or input\.encoding/,
    ],
    ['a byte that stands for nothing', latin1('name\n\x83\x81\n'), /is not UTF-8: line 2/],
    [
      'another encoding than the one that is set',
      Buffer.concat([Buffer.from('a,b\n', 'utf16le'), Buffer.from([0, 0xdc])]),
      /is not utf-16le: .* Set --encoding or input\.encoding to the encoding the file was saved in/,
      { encoding: 'utf-16le' },
    ],
    [
      'an indented object',
      '\n{\n  "a": 1\n}\n',
      /JSON object that spans several lines.* jq -c '\.' FILE/,
      json,
    ],
    ['no object', '\n\n', /is empty: it needs one JSON object per line/, json],
    [
      'an array cut between elements',
      '[{"a":"1"},',
      /is not one valid JSON array: .* jq -c '/,
      json,
    ],
    ['an array cut within one', '[{"a":"1"},\n{"a":"', /JSON array: .*line 2/, json],
    ['text behind an array', '[{"a":"1"}]\n{"a":"2"}', /after JSON at position/, json],
    ['an empty sheet', workbook, /the sheet "Old" is empty/, { ...xlsx, sheet: 'Old' }],
  ],
  INPUT_UNREADABLE: [
    ['an old workbook', latin1('\xd0\xcf\x11\xe0\xa1\xb1'), /is an old Excel workbook .*or as CSV/],
    ['a PDF', '%PDF-1.7\n', /is a PDF.*as CSV/],
    ['a web page', '\ufeff <!DOCTYPE HTML>\n<html>', /is a web page, not a list/],
    ['other bytes', 'name,site\n\x01\0\0', /byte 12 is zero.*encoding: utf-16le/],
    ['text called a workbook', 'name\nAcme\n', /is not an Excel workbook.*name it \.csv/, xlsx],
    ['a password', Buffer.from(locked), /with a password: .* without a password/, xlsx],
    ['a workbook as CSV', workbook, /remove `format`, or set it to xlsx/, { format: 'csv' }],
    ['another zip', makeZip({ 'readme.txt': 'hello' }), /a zip file, not a list: unpack it/, xlsx],
    ['OpenDocument', makeZip({ 'content.xml': '' }), /OpenDocument.*\.xlsx/, xlsx],
    ['a binary workbook', makeZip({ 'xl/workbook.bin': '' }), /binary Excel workbook/, xlsx],
    ['no sheet', makeZip(workbookParts({ sheets: [] })), /without any sheet/, xlsx],
    [
      'half a workbook',
      workbook.subarray(0, -40),
      /is damaged \(.*file is truncated.*\)\. Open/,
      xlsx,
    ],
    [
      'a part of no size',
      makeZip(workbookParts({ sheets }), { plainBytes: 0 }),
      /longer than it says/,
      xlsx,
    ],
    [
      'a part that swells a thousandfold',
      makeZip({ ...workbookParts({ sheets }), 'xl/media/a.png': Buffer.alloc(9 * 1024 * 1024) }),
      /may be a zip bomb: xl\/media\/a\.png would unpack/,
      xlsx,
    ],
    [
      'more than a part says',
      makeZip(workbookParts({ sheets: [{ name: 'Leads', rows: textRow(1, 'a'.repeat(999)) }] }), {
        plainBytes: 600,
      }),
      /is damaged .*longer than it says/,
      xlsx,
    ],
    [
      'texts that do not fit into memory',
      withEntry('xl/sharedStrings.xml', { 20: 0x3fff_ffff, 24: 0x7fff_ffff }),
      /more text than fits into memory.*Save it as CSV/,
      xlsx,
    ],
    [
      'a wrong checksum',
      withEntry('xl/worksheets/sheet1', { 16: 1 }),
      /checksum .* is wrong/,
      xlsx,
    ],
    [
      'a cell beyond the sheet',
      sheetOf(`${textRow(1, 'Website')}<row r="3"><c r="ZZZZZ3"><v>1</v></c></row>`),
      /sheet "Leads" is damaged at row 3 .*save it as CSV/,
      xlsx,
    ],
    ['Parquet as CSV', stored, /is a Parquet file, not text/, { format: 'csv' }],
    ['text called Parquet', 'a,b\n', /is not a Parquet file/, parquet],
    ['encrypted Parquet', 'PARE\0\0\0\0\0\0\0\0PARE', /is an encrypted Parquet file/, parquet],
    [
      'a codec that is not read',
      await writeDuckdb(duckdb, 'format parquet, codec lz4_raw'),
      /unsupported compression codec: LZ4_RAW\): write it with snappy/,
      parquet,
    ],
  ],
  COLUMNS_UNCLEAR: [
    [
      'an unknown sheet',
      workbook,
      /no sheet "Customers"; it has "Leads", "Old"$/,
      { sheet: 'Customers' },
    ],
    ['a sheet of CSV', 'Website\nacme.com\n', /is not a workbook/, { sheet: 'A' }],
  ],
};

describe.each(Object.entries(refused))('a list is refused with %s', (code, lists) => {
  test.each(lists)('for %s', async (_, content, message, options) => {
    await expect(readBack(content, options)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
