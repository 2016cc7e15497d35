import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, FlatRecord } from '../../../src/core/columns/columns.ts';
import {
  type CsvOptions,
  csvDelimiters,
  csvHead,
  csvLine,
  protectFromExcel,
} from '../../../src/results/lines.ts';
import { arbitraryText } from '../../core/columns/arbitrary-answer.ts';

const plain: CsvOptions = { excelSafe: false, bom: false, delimiter: ',' };

test('booleans are words, lists are joined, null is empty', () => {
  const text = toCsv(
    ['a', 'b', 'c', 'd', 'e', 'f'],
    [[true, false, ['x', 'y; z'], [1, 2], null, 0.5]],
  );
  expect(text).toBe('a,b,c,d,e,f\ntrue,false,x; y; z,1; 2,,0.5\n');
});

test('quotes, separators and line ends are quoted as RFC 4180 says', () => {
  const text = toCsv(['a,b', 'c'], [['say "hi"', 'one\r\ntwo']]);
  expect(text).toBe('"a,b",c\n"say ""hi""","one\r\ntwo"\n');
});

test('a file without records has its header', () => {
  expect(toCsv(['a', 'b'], [])).toBe('a,b\n');
});

test('the byte order mark comes first when asked for', () => {
  expect(toCsv(['a'], [['b']], { ...plain, bom: true })).toBe('\ufeffa\nb\n');
});

test('an ABN opens in Excel as it is, and a formula does not run', () => {
  const cells: Cell[] = ['51824753556', '=HYPERLINK("http://x")', ['+61 2 5550 1234'], -5, '-5'];
  const text = toCsv(['=a', 'b', 'c', 'd', 'e'], [cells], { ...plain, excelSafe: true });
  expect(text).toBe(
    `'=a,b,c,d,e\n"=""51824753556""","'=HYPERLINK(""http://x"")","=""+61 2 5550 1234""",-5,-5\n`,
  );
});

test('a cell of a megabyte is written whole', () => {
  const huge = `${'é"\n'.repeat(300_000)}end`;
  const text = toCsv(['a', 'b'], [[huge, 'next']]);
  expect(parse(text)).toEqual([
    ['a', 'b'],
    [huge, 'next'],
  ]);
});

test('cells read back by csv-parse are the cells that were written', () => {
  fc.assert(
    fc.property(arbitraryTable(), ({ names, records }) => {
      const text = toCsv(names, records);
      const expected = [names, ...records.map((cells) => cells.map(asText))].map((cells) =>
        cells.map((cell) => cell.toWellFormed()),
      );
      expect(parse(text)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('the bytes are those of csv-stringify', () => {
  fc.assert(
    fc.property(
      arbitraryTable(),
      fc.record({
        excelSafe: fc.boolean(),
        bom: fc.boolean(),
        delimiter: fc.constantFrom(...csvDelimiters),
      }),
      ({ names, records }, options) => {
        const protect = options.excelSafe ? protectFromExcel : (text: string) => text;
        const theirs = stringify(records.map(toMutable), {
          header: true,
          columns: names.map((name) => ({ key: name, header: name })),
          bom: options.bom,
          delimiter: options.delimiter,
          cast: {
            boolean: (value) => String(value),
            string: protect,
            object: (value) => protect((value as unknown as string[]).join('; ')),
          },
        });
        const ours = toCsv(names, records, options);
        expect(ours).toBe(Buffer.from(theirs).toString());
      },
    ),
    { numRuns: 500 },
  );
});

const width = 4;

function arbitraryTable(): fc.Arbitrary<{ names: string[]; records: FlatRecord[] }> {
  const cell: fc.Arbitrary<Cell> = fc.oneof(
    { weight: 4, arbitrary: arbitraryText() },
    fc.array(arbitraryText(), { maxLength: 3 }),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const line = <Item>(item: fc.Arbitrary<Item>) =>
    fc.array(item, { minLength: width, maxLength: width });
  return fc.record({
    // csv-parse strips a byte order mark from the first name, and a line of nothing is no header.
    names: line(fc.string()).map((names) => names.map((name, index) => `${index}${name}`)),
    records: fc.array(line(cell), { minLength: 1, maxLength: 5 }),
  });
}

function toMutable(record: FlatRecord): Cell[] {
  return [...record];
}

function asText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'object' ? cell.join('; ') : String(cell);
}

function toCsv(names: readonly string[], records: readonly FlatRecord[], options = plain): string {
  const head = csvHead(
    names.map((name) => ({ name })),
    options,
  );
  return Buffer.from(head + records.map(csvLine(options)).join('')).toString();
}
