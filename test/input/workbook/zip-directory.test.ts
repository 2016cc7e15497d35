import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readZipDirectory, readZipText } from '../../../src/input/workbook/open-workbook.ts';
import { makeZip } from '../../support/make-zip.ts';

const files = { 'a.xml': 'first', 'folder/b.xml': 'second '.repeat(1_000) };
const zip = makeZip(files);

test('the files of a zip are found, with their sizes and their text', () => {
  const entries = readZipDirectory(zip) ?? [];
  expect(entries.map(({ name, plainBytes }) => [name, plainBytes])).toEqual([
    ['a.xml', 5],
    ['folder/b.xml', 7_000],
  ]);
  expect(entries.map((entry) => readZipText(zip, entry, Number.POSITIVE_INFINITY))).toEqual(
    Object.values(files),
  );
});

test('the beginning of a file is unpacked without the rest', () => {
  const [, entry] = readZipDirectory(zip) ?? [];
  const head = entry ? readZipText(zip, entry, entry.storedBytes - 4) : '';
  expect(files['folder/b.xml'].startsWith(head)).toBe(true);
  expect(head.length).toBeGreaterThan(0);
});

test('Zip64 sizes are read', () => {
  const long = Buffer.from(zip);
  const at = long.indexOf('PK\x01\x02', 'latin1');
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(5n, 4);
  long.writeUInt32LE(0xffff_ffff, at + 24);
  long.writeUInt16LE(extra.length, at + 30);
  const nameEnd = at + 46 + 'a.xml'.length;
  const widened = Buffer.concat([long.subarray(0, nameEnd), extra, long.subarray(nameEnd)]);
  expect(readZipDirectory(widened)?.map(({ plainBytes }) => plainBytes)).toEqual([5, 7_000]);
});

test('a zip that is cut short or scrambled is refused or read, and never crashes', () => {
  const damage = fc.tuple(fc.nat(zip.length - 1), fc.nat(255), fc.nat(zip.length));
  fc.assert(
    fc.property(damage, ([at, byte, length]) => {
      const damaged = Buffer.from(zip.subarray(0, Math.max(length, at)));
      if (at < damaged.length) damaged[at] = byte;
      for (const entry of readZipDirectory(damaged) ?? []) readZipText(damaged, entry, 1_000);
    }),
    { numRuns: 2_000 },
  );
});
