import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { makeWorkbook, textRow } from '../../support/make-workbook.ts';
import { readBack } from '../../support/read-back.ts';

const fileName = 'leads.xlsx';
const sheets = [
  { name: 'Leads', rows: textRow(1, 'Website') },
  { name: 'Old', state: 'hidden' as const, rows: '' },
];
const whole = makeWorkbook({ sheets });

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

test('a workbook with a wrong byte is read unchanged or refused', async () => {
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
    { numRuns: 60 },
  );
});
