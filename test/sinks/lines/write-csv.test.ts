import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, FlatRecord } from '../../../src/records/columns/columns.ts';
import { protectFromExcel } from '../../../src/sinks/lines/excel-cell.ts';
import { type CsvOptions, writeCsv } from '../../../src/sinks/lines/write-csv.ts';
import { arbitraryText } from '../../records/flatten/arbitrary-answer.ts';
import { memorySink } from '../../records/sample-records.ts';

const plain: CsvOptions = { excelSafe: false, bom: false };

test('booleans are words, lists are joined, null is empty', async () => {
  const text = await toCsv(
    ['a', 'b', 'c', 'd', 'e', 'f'],
    [[true, false, ['x', 'y; z'], [1, 2], null, 0.5]],
  );
  expect(text).toBe('a,b,c,d,e,f\ntrue,false,x; y; z,1; 2,,0.5\n');
});

test('quotes, separators and line ends are quoted as RFC 4180 says', async () => {
  const text = await toCsv(['a,b', 'c'], [['say "hi"', 'one\r\ntwo']]);
  expect(text).toBe('"a,b",c\n"say ""hi""","one\r\ntwo"\n');
});

test('a file without records has its header', async () => {
  expect(await toCsv(['a', 'b'], [])).toBe('a,b\n');
});

test('the byte order mark comes first when asked for', async () => {
  expect(await toCsv(['a'], [['b']], { ...plain, bom: true })).toBe('\ufeffa\nb\n');
});

test('an ABN opens in Excel as it is, and a formula does not run', async () => {
  const cells: Cell[] = ['51824753556', '=HYPERLINK("http://x")', ['+61 2 5550 1234'], -5, '-5'];
  const text = await toCsv(['=a', 'b', 'c', 'd', 'e'], [cells], { ...plain, excelSafe: true });
  expect(text).toBe(
    `'=a,b,c,d,e\n"=""51824753556""","'=HYPERLINK(""http://x"")","=""+61 2 5550 1234""",-5,-5\n`,
  );
});

test('a cell of a megabyte is written whole', async () => {
  const huge = `${'é"\n'.repeat(300_000)}end`;
  const text = await toCsv(['a', 'b'], [[huge, 'next']]);
  expect(parse(text)).toEqual([
    ['a', 'b'],
    [huge, 'next'],
  ]);
});

test('records are handed on in batches, so that memory stays flat', async () => {
  const sink = memorySink();
  const writer = writeCsv(sink, [{ name: 'a' }], plain);
  for (let row = 0; row < 5_000; row += 1) await writer.write(['x'.repeat(200)]);
  expect(sink.writes()).toBeGreaterThan(2);
  expect(await writer.close()).toMatchObject({ rows: 5_000, bytes: 5_000 * 201 + 2 });
});

test('cells read back by csv-parse are the cells that were written', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryTable(), async ({ names, records }) => {
      const text = await toCsv(names, records);
      const expected = [names, ...records.map((cells) => cells.map(asText))].map((cells) =>
        cells.map((cell) => cell.toWellFormed()),
      );
      expect(parse(text)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('the bytes are those of csv-stringify', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryTable(),
      fc.record({ excelSafe: fc.boolean(), bom: fc.boolean() }),
      async ({ names, records }, options) => {
        const protect = options.excelSafe ? protectFromExcel : (text: string) => text;
        const theirs = stringify(records.map(toMutable), {
          header: true,
          columns: names.map((name) => ({ key: name, header: name })),
          bom: options.bom,
          cast: {
            boolean: (value) => String(value),
            string: protect,
            object: (value) => protect((value as unknown as string[]).join('; ')),
          },
        });
        const ours = await toCsv(names, records, options);
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

async function toCsv(
  names: readonly string[],
  records: readonly FlatRecord[],
  options = plain,
): Promise<string> {
  const sink = memorySink();
  const writer = writeCsv(
    sink,
    names.map((name) => ({ name })),
    options,
  );
  for (const record of records) await writer.write(record);
  await writer.close();
  return sink.text();
}
