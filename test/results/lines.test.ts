import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, FlatRecord } from '../../src/core/columns/columns.ts';
import {
  csvDelimiters,
  csvHead,
  csvLine,
  jsonLine,
  protectFromExcel,
  withoutProtection,
} from '../../src/results/lines.ts';
import { arbitraryText } from '../core/columns/arbitrary-answer.ts';

const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 4, arbitrary: arbitraryText() },
  fc.array(arbitraryText(), { maxLength: 3 }),
  fc.array(fc.integer(), { maxLength: 3 }),
  // JSON has one zero.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
);
const anyRecords = fc.array(fc.tuple(anyCell, anyCell, anyCell), { minLength: 1, maxLength: 5 });

test('the bytes of CSV are those of csv-stringify', () => {
  const anyOptions = fc.record({
    excelSafe: fc.boolean(),
    bom: fc.boolean(),
    delimiter: fc.constantFrom(...csvDelimiters),
  });
  fc.assert(
    fc.property(fc.array(fc.string()), anyRecords, anyOptions, (texts, records, options) => {
      const { excelSafe, bom, delimiter } = options;
      const protect = excelSafe ? protectFromExcel : (text: string) => text;
      // A line of nothing is no header.
      const columns = [0, 1, 2].map((index) => ({ name: `${index}${texts[index] ?? ''}` }));
      const theirs = stringify(records, {
        header: true,
        bom,
        delimiter,
        columns: columns.map(({ name }) => ({ key: name, header: name })),
        cast: {
          boolean: (value) => String(value),
          string: protect,
          object: (value) => protect((value as unknown as string[]).join('; ')),
        },
      });
      const ours = csvHead(columns, options) + records.map(csvLine(options)).join('');
      expect(Buffer.from(ours).toString()).toBe(Buffer.from(theirs).toString());
    }),
    { numRuns: 100 },
  );
});

test('lines of JSON hold the cells that were written, in the order of the columns', () => {
  const wellFormed = (cell: Cell): unknown => {
    if (typeof cell === 'string') return cell.toWellFormed();
    return Array.isArray(cell) ? cell.map(wellFormed) : cell;
  };
  const toLine = jsonLine(['b\ud800', '1', '__proto__'].map((name) => ({ name })));
  expect(toLine([1, ['y'], null])).toBe('{"b\ufffd":1,"1":["y"],"__proto__":null}\n');
  fc.assert(
    fc.property(anyRecords, (records) => {
      // An object would put the key 1 first.
      const cells = records.map((record: FlatRecord) =>
        JSON.parse(toLine(record).replace('"1":', '"a":')),
      );
      expect(cells.map(Object.values)).toEqual(records.map((record) => record.map(wellFormed)));
    }),
  );
});

test.each([
  // Formulas do not run.
  ['=1+1', "'=1+1"],
  ['-cmd|calc', "'-cmd|calc"],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ['＝1', "'＝1"],
  // Numbers and dates stay text.
  ['51824753556', '="51824753556"'],
  ['+61 2 5550 1234; 1300 555 012', '="+61 2 5550 1234; 1300 555 012"'],
  ['11-50', '="11-50"'],
  ['2014-03-09', '="2014-03-09"'],
  ['00:02:11', '="00:02:11"'],
  ['12E5', '="12E5"'],
  // The rest is as it was.
  ['Acme', 'Acme'],
  ['-5', '-5'],
  ['51-200 people', '51-200 people'],
  // Too long for a formula.
  ['+61 2 5550 1234; '.repeat(20), `'${'+61 2 5550 1234; '.repeat(20)}`],
])('a spreadsheet shows %j unchanged: %j', (text, cell) => {
  expect(protectFromExcel(text)).toBe(cell);
});

test('no text can begin like a formula', () => {
  const ours = /^="[-+\d ().;:/eE]*"$|^-?[\d.]+$/;
  fc.assert(
    fc.property(arbitraryText(), (text) => {
      const cell = protectFromExcel(text);
      expect(/^[=+\-@\t\r\n]/.test(cell) && !ours.test(cell)).toBe(false);
      expect(cell).toContain(text);
      expect(protectFromExcel(withoutProtection(cell))).toBe(cell);
    }),
  );
});
