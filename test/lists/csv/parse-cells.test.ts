import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

const cell = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', '0', ' ', '"', '""', '\n', '\r\n', '\r', ',', ';', '\t', '|'),
    fc.constantFrom('é', '株', '😀', '\u2028', '\u00a0', '=', "'"),
  ),
  maxLength: 12,
});
const table = fc
  .integer({ min: 2, max: 6 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));

test('any table is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
      async (rows, delimiter, lineEnd, bom, quoted) => {
        const header = rows[0]?.map((_, index) => `name ${index}`) ?? ['name', 'site'];
        const text = stringify([header, ...rows], {
          delimiter,
          record_delimiter: lineEnd,
          bom,
          quoted,
          // csv-stringify quotes only its own line end, but readers end a record at any line end.
          quoted_match: /[\r\n]/,
        });
        const read = await readBack(text, { delimiter });
        expect(read.columns).toEqual(header);
        expect(read.cells).toEqual(rows);
      },
    ),
    { numRuns: 80 },
  );
});
