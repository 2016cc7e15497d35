import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, Column, ColumnType, FlatRecord } from '../../../src/records/columns/columns.ts';
import { companyColumns } from '../../../src/records/columns/company-columns.ts';
import type { Compression } from '../../../src/sinks/files/compression.ts';
import { encodeParquet } from '../../../src/sinks/parquet/encode-parquet.ts';
import { writeParquet } from '../../../src/sinks/parquet/write-parquet.ts';
import { arbitraryAnswer, arbitraryText } from '../../records/flatten/arbitrary-answer.ts';
import { companyCells, fullCompany } from '../../records/sample-records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { memoryTarget } from '../sample-run.ts';
import { queryParquet } from './read-parquet.ts';

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
});

test('a file without records is a Parquet file with its columns', async () => {
  using folder = temporaryFolder();
  const path = await toFile(folder.path, companyColumns, []);
  const { names, rows } = await queryParquet(path);
  expect(names).toEqual(companyColumns.map(({ name }) => name));
  expect(rows).toEqual([]);
});

test.each(['none', 'gzip', 'zstd'] as const)(
  'companies over several groups come back cell by cell with compression %s',
  async (compress) => {
    using folder = temporaryFolder();
    const records = Array.from({ length: 2_300 }, (_, row) =>
      companyCells(row % 3 === 0 ? { id: row } : { ...fullCompany(), id: `c_${row}` }),
    );
    const path = await toFile(folder.path, companyColumns, records, compress);
    expect(await readCells(path, companyColumns)).toEqual(records);
  },
);

test('whatever the service answers, DuckDB reads what was written', async () => {
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
    { numRuns: 25 },
  );
});

test('a filter finds text that UTF-16 and UTF-8 put in another order', async () => {
  using folder = temporaryFolder();
  const columns = everyType.slice(0, 1);
  const path = await toFile(folder.path, columns, [['\ufffd'], ['\u{1f600}'], ['a']]);
  const found = await queryParquet(path, `count(*) filter (where text = '\u{1f600}')`);
  expect(found.rows).toEqual([[1n]]);
});

test('a byte order mark inside a cell is kept', async () => {
  using folder = temporaryFolder();
  const path = await toFile(folder.path, everyType.slice(0, 1), [['\ufeffa']]);
  expect((await queryParquet(path, 'hex(encode(text))')).rows).toEqual([['EFBBBF61']]);
});

test('a cell of a megabyte and hostile names are kept', async () => {
  using folder = temporaryFolder();
  const huge = 'x\0é'.repeat(350_000);
  const columns = ['a.b', 'select "*"', '__proto__', '列'].map((name) => ({
    ...(everyType[0] as Column),
    name,
  }));
  const records = Array.from({ length: 30 }, () => [huge, '=1', 'b', '\n']);
  const path = await toFile(folder.path, columns, records);
  const { names, rows } = await queryParquet(path);
  expect(names).toEqual(columns.map(({ name }) => name));
  expect(rows).toEqual(records);
});

test('a group is handed on when it is full by rows or by size, so that memory stays flat', async () => {
  const target = memoryTarget();
  const columns = everyType.slice(0, 1);
  const encode = encodeParquet(columns);
  const writer = writeParquet(target, columns, 'none');
  await writer.write(encode(Array.from({ length: 2_500 }, (_, row) => [`${row}`])));
  const groupsOfRows = target.writes();
  expect(groupsOfRows).toBeGreaterThan(1);
  for (let row = 0; row < 20; row += 1) {
    await writer.write(encode([[`${row}`.repeat(1_000_000)]]));
  }
  expect(target.writes()).toBeGreaterThan(groupsOfRows + 1);
});

test('the same records give the same bytes', async () => {
  const records = [companyCells(fullCompany())];
  expect(await toBytes(companyColumns, records)).toEqual(await toBytes(companyColumns, records));
});

test('lists of any length, empty ones and nulls are told apart', async () => {
  using folder = temporaryFolder();
  const columns = everyType.filter(({ type }) => type === 'list');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.array(arbitraryText(), { maxLength: 4 })), { minLength: 1 }),
      async (lists) => {
        const records = lists.map((list) => [list]);
        const path = await toFile(folder.path, columns, records);
        expect(await readCells(path, columns)).toEqual(records.map(wellFormed));
      },
    ),
    { numRuns: 25 },
  );
});

async function toBytes(
  columns: readonly Column[],
  records: readonly FlatRecord[],
  compress: Compression = 'none',
): Promise<Buffer> {
  const target = memoryTarget();
  const writer = writeParquet(target, columns, compress);
  await writer.write(encodeParquet(columns)(records));
  await writer.close();
  return target.bytes();
}

async function toFile(
  folder: string,
  columns: readonly Column[],
  records: readonly FlatRecord[],
  compress: Compression = 'none',
): Promise<string> {
  const path = join(folder, "it's.parquet");
  writeFileSync(path, await toBytes(columns, records, compress));
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
