import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FlatRecord } from '../../../src/core/columns/columns.ts';
import { maxExcelCellLength } from '../../../src/results/workbook/sheet-xml.ts';
import { arbitraryText } from '../../core/columns/arbitrary-answer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { column, makeWorkbookFile, sheetsOf } from './made-workbook.ts';

const textTable = { table: 'companies', columns: [column('text')] } as const;

test('any text is read as it was written', async () => {
  using folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryText(), { minLength: 1, maxLength: 40 }), async (cells) => {
      const { bytes } = await makeWorkbookFile(
        folder.path,
        [{ table: 'companies', columns: cells.map((_, index) => column(`${index}`)) }],
        [[[[...cells, 'end']]]],
      );
      const { Companies = [] } = await sheetsOf(bytes);
      const [, record = []] = Companies;
      expect(cells.map((_, index) => record[index] ?? '')).toEqual(
        cells.map((cell) => cell.toWellFormed()),
      );
    }),
    { numRuns: 15 },
  );
});

test('numbers are numbers, true is true, and a time is a date of the spreadsheet', async () => {
  using folder = temporaryFolder();
  const columns = [
    column('integer', 'integer'),
    column('decimal', 'decimal'),
    column('boolean', 'boolean'),
    column('timestamp', 'timestamp'),
    column('list', 'list'),
    column('integers', 'integers'),
    column('json', 'json'),
  ];
  const { bytes } = await makeWorkbookFile(
    folder.path,
    [{ table: 'companies', columns }],
    [
      [
        [
          [1284, 0.5, true, '2026-11-16T02:03:04.567Z', ['a', 'b; c'], [1, 2], '{"a":1}'],
          [-3, 1e21, false, 'tomorrow', [], [7], null],
          [1e15, 2 ** -40, null, '1850-01-01T00:00:00.000Z', ['007'], null, ''],
        ],
      ],
    ],
  );
  const { Companies } = await sheetsOf(bytes);
  expect(Companies?.slice(1)).toEqual([
    [1284, 0.5, true, new Date('2026-11-16T02:03:04.567Z'), 'a; b; c', '1; 2', '{"a":1}'],
    // More digits than a spreadsheet keeps, and times that it does not know, are text.
    [-3, '1e+21', false, 'tomorrow', null, '7', null],
    ['1000000000000000', 2 ** -40, null, '1850-01-01T00:00:00.000Z', '007', null, null],
  ]);
});

test('a cell has 32,767 characters; a longer text is cut off with a mark, and counted', async () => {
  using folder = temporaryFolder();
  const fits = 'x'.repeat(maxExcelCellLength);
  const records = [[fits], [`${fits}y`], ['😀'.repeat(20_000)]];
  const { bytes, facts } = await makeWorkbookFile(folder.path, [textTable], [[records]]);
  const { Companies = [] } = await sheetsOf(bytes);
  const [, whole, cut, pairs] = Companies.map(([cell]) => String(cell));
  expect(whole).toBe(fits);
  expect(cut?.length).toBe(maxExcelCellLength);
  expect(cut).toMatch(/^x+ … \(cut off\)$/);
  expect(pairs?.length).toBeLessThanOrEqual(maxExcelCellLength);
  expect(pairs).toMatch(/^(?:😀)+ … \(cut off\)$/u);
  expect(facts.cutCells).toBe(2);
});

test('rows that a sheet has no room for go to the next one, in their order', async () => {
  using folder = temporaryFolder();
  const tables = [textTable, { table: 'rejects', columns: [column('why')] }] as const;
  const numbered = (count: number): FlatRecord[] =>
    Array.from({ length: count }, (_, index) => [`row ${index + 1}`]);
  const [first = [], second = []] = [numbered(7).slice(0, 4), numbered(7).slice(4)];
  const batches = [[first, numbered(3)], [second]];
  const limits = { rows: 4, bytes: 1e9 };
  const { bytes, facts } = await makeWorkbookFile(folder.path, tables, batches, limits);
  expect(facts.sheets).toEqual([
    { name: 'Companies', rows: 3 },
    { name: 'Companies 2', rows: 3 },
    { name: 'Companies 3', rows: 1 },
    { name: 'Rejects', rows: 3 },
  ]);
  const { Companies, 'Companies 2': next, 'Companies 3': last } = await sheetsOf(bytes);
  expect([Companies, next, last]).toEqual([
    [['text'], ['row 1'], ['row 2'], ['row 3']],
    [['text'], ['row 4'], ['row 5'], ['row 6']],
    [['text'], ['row 7']],
  ]);
  const small = await makeWorkbookFile(folder.path, tables, batches, { rows: 100, bytes: 1 });
  expect(small.facts.sheets?.map(({ name }) => name)).toEqual([
    ...['Companies', 'Companies 2', 'Companies 3', 'Companies 4', 'Companies 5'],
    ...['Companies 6', 'Companies 7', 'Rejects', 'Rejects 2', 'Rejects 3'],
  ]);
});

test('a list with more columns than a sheet has is refused, with a way out', async () => {
  using folder = temporaryFolder();
  const columns = Array.from({ length: 16_385 }, (_, index) => column(`c${index}`));
  const writing = makeWorkbookFile(folder.path, [{ table: 'companies', columns }], []);
  await expect(writing).rejects.toThrow(
    /room for 16,384 columns, and the result has 16,385; write another format, or fewer columns/,
  );
});
