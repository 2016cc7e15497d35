import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, Column, ColumnType, FlatRecord } from '../../src/core/columns/columns.ts';
import { companyColumns } from '../../src/core/columns/table-columns.ts';
import {
  addStatistics,
  footerStatistics,
  noStatistics,
  type Statistics,
  writeParquet,
} from '../../src/results/parquet.ts';
import { arbitraryAnswer } from '../core/columns/arbitrary-answer.ts';
import { companyCells } from '../core/columns/sample-records.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { queryParquet, queryParquetMetadata } from './read-parquet.ts';
import { memoryTarget } from './sample-run.ts';

const everyType: readonly Column[] = (
  ['text', 'integer', 'decimal', 'boolean', 'timestamp', 'list', 'integers', 'json'] as const
).map((type) => ({ name: type, path: [], type, description: '' }));

test('DuckDB sees the types that the columns have', async () => {
  using folder = temporaryFolder();
  const record: Cell[] = [
    'é',
    7,
    0.5,
    true,
    '2026-08-22T04:12:09.113Z',
    ['a', ''],
    [1, 2],
    '{"a":1}',
  ];
  const path = await toFile(folder.path, everyType, [record, record.map(() => null)]);
  expect(await queryParquet(path)).toEqual({
    names: everyType.map(({ name }) => name),
    types: [
      'VARCHAR',
      'BIGINT',
      'DOUBLE',
      'BOOLEAN',
      'TIMESTAMP WITH TIME ZONE',
      'VARCHAR[]',
      'BIGINT[]',
      'VARCHAR',
    ],
    rows: [
      ['é', 7n, 0.5, true, new Date('2026-08-22T04:12:09.113Z'), ['a', ''], [1n, 2n], '{"a":1}'],
      [null, null, null, null, null, null, null, null],
    ],
  });
  // JSON is text by another name there.
  expect((await queryParquet(path, `typeof(json), json->>'a'`)).rows[0]).toEqual(['JSON', '1']);
});

test('DuckDB reads back whatever the service answered', async () => {
  using folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryAnswer(), { minLength: 1, maxLength: 6 }),
      async (answers) => {
        const records = answers.map(companyCells);
        const path = await toFile(folder.path, companyColumns, records);
        expect(await readCells(path, companyColumns)).toEqual(records.map(wellFormed));
      },
    ),
    { numRuns: 8 },
  );
});

test('a row group has 64 MB, and is compressed and handed on when it is full', async () => {
  using folder = temporaryFolder();
  const target = memoryTarget();
  const writer = writeParquet(target, everyType.slice(0, 1));
  const huge = 'x'.repeat(1_000_000);
  for (let row = 0; row < 90; row += 1) await writer.write([huge], 0);
  expect(target.writes()).toBeGreaterThan(0);
  await writer.close();
  const path = join(folder.path, 'groups.parquet');
  writeFileSync(path, target.bytes());
  const groups = await queryParquetMetadata(path, 'row_group_num_rows');
  expect(groups).toEqual([[72n], [18n]]);
  expect(target.bytes().length).toBeLessThan(1024 * 1024);
});

async function toFile(
  folder: string,
  columns: readonly Column[],
  records: readonly FlatRecord[],
): Promise<string> {
  const path = join(folder, "it's.parquet");
  const target = memoryTarget();
  const writer = writeParquet(target, columns);
  for (const record of records) await writer.write(record, 0);
  await writer.close();
  writeFileSync(path, target.bytes());
  return path;
}

async function readCells(path: string, columns: readonly Column[]): Promise<unknown[][]> {
  const { rows } = await queryParquet(path);
  return rows.map((cells) => cells.map((cell, index) => asCell(columns[index]?.type, cell)));
}

/** DuckDB gives INT64 as bigint. */
function asCell(type: ColumnType | undefined, value: unknown): unknown {
  return type === 'integer' && value !== null ? Number(value) : value;
}

/** DuckDB for Node drops a byte order mark at the beginning of a text; the file does hold it. */
function wellFormed(record: FlatRecord): unknown[] {
  return record.map((cell) => {
    if (typeof cell === 'string') return cell.toWellFormed().replace(/^\ufeff/, '');
    if (Array.isArray(cell)) return wellFormed(cell as string[]);
    // Parquet's INT64 has one zero.
    return typeof cell === 'number' && Number.isInteger(cell) ? cell + 0 : cell;
  });
}

const mergeStatistics = (pages: readonly Statistics[]) =>
  footerStatistics(pages.reduce(addStatistics, noStatistics));

const last = '\u{10ffff}';
const text = fc.string({
  unit: fc.constantFrom('a', 'z', '\u007f', 'ß', '\ud7ff', '\uffff', '\u{1f600}', last),
  maxLength: 24,
});

test('bounds of pages are bounds of the chunk, whole text of at most 16 bytes', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (texts) => {
      const values = texts.map((value) => Buffer.from(value));
      const merged = mergeStatistics(
        values.map((value) => ({ min_value: value, max_value: value })),
      );
      const { min_value, max_value } = merged;
      const [least, most] = [min_value, max_value].map(asBuffer);
      for (const bound of [least, most].filter((given) => given !== undefined)) {
        expect(bound.length).toBeLessThanOrEqual(16);
        expect(Buffer.from(bound.toString('utf8'))).toEqual(bound);
      }
      for (const value of values) {
        expect(Buffer.compare(least ?? value, value)).toBeLessThanOrEqual(0);
        expect(Buffer.compare(most ?? value, value)).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

function asBuffer(bound: Statistics['min_value']): Buffer | undefined {
  return bound instanceof Uint8Array ? Buffer.from(bound) : undefined;
}
