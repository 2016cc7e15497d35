import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';
import { beforeAll, describe, expect, test } from 'vitest';
import { openInput } from '../../src/lists/open-input.ts';
import { readBack } from '../support/read-back.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeDuckdb } from '../support/write-duckdb.ts';

const fileName = 'leads.parquet';

describe('values', () => {
  test('are the texts that CSV would have', async () => {
    const list = await writeDuckdb(
      `select * from (values
        (9007199254740993::bigint, 18446744073709551615::ubigint, -7::tinyint, true, 0.1::float, 1e21::double,
         51824753556::decimal(38,10), -0.05::decimal(4,2), date '2026-03-01',
         timestamp '2026-03-01 09:30:00',
         timestamptz '2026-03-01 09:30:00+00',
         '889c539e-d84b-4c7a-abb2-450f9239ea89'::uuid, 'AU'::enum('GB', 'AU'), '{"a": 1.50}'::json, 'é'),
        (null, null, null, null, 'nan'::float, null, null, null, null, null, null, null, null, null, null)
       ) t(big, ubig, tiny, flag, small, large, exact, cents, day, local, instant, uuid, code, json, text)`,
      'format parquet',
    );
    const { columns, cells, hasHeader, notes } = await readBack(list, { fileName });
    const [first = []] = cells;
    expect(Object.fromEntries(columns.map((column, index) => [column, first[index]]))).toEqual({
      big: '9007199254740993',
      ubig: '18446744073709551615',
      tiny: '-7',
      flag: 'true',
      small: '0.1',
      large: '1e+21',
      exact: '51824753556',
      cents: '-0.05',
      day: '2026-03-01',
      local: '2026-03-01T09:30:00.000Z',
      instant: '2026-03-01T09:30:00.000Z',
      uuid: '889c539e-d84b-4c7a-abb2-450f9239ea89',
      code: 'AU',
      json: '{"a": 1.50}',
      text: 'é',
    });
    expect(cells[1]?.every((cell) => cell === undefined)).toBe(true);
    expect({ hasHeader, notes }).toEqual({ hasHeader: true, notes: [] });
  });

  test('within a struct have a column each, named by their path; lists and maps are JSON', async () => {
    const list = await writeDuckdb(
      `select * from (values
        ({'domain': 'acme.com', 'hq': {'code': 1}}, [1, null, 3], map {'a': 1.5::decimal(4,2)}, {'tags': ['x', 'y']}, [{'n': 1, 'l': ['p']}]),
        (null, [], map {}, {'tags': null}, [null, {'n': null, 'l': []}]),
        ({'domain': null, 'hq': null}, null, null, null, null)
      ) t(properties, numbers, map, deep, rows)`,
      'format parquet',
    );
    const { columns, cells } = await readBack(list, { fileName });
    expect(columns).toEqual([
      'properties.domain',
      'properties.hq.code',
      'numbers',
      'map',
      'deep.tags',
      'rows',
    ]);
    expect(cells).toEqual([
      ['acme.com', '1', '[1,null,3]', '{"a":1.5}', '["x","y"]', '[{"n":1,"l":["p"]}]'],
      [undefined, undefined, '[]', '{}', undefined, expect.stringContaining('"l":[]')],
      [undefined, undefined, undefined, undefined, undefined, undefined],
    ]);
  });

  test('of bytes are left out, with a note', async () => {
    const list = await writeDuckdb(
      `select 'acme.com' as domain, 'x'::blob as logo, interval 1 day as age`,
      'format parquet',
    );
    const { columns, notes } = await readBack(list, { fileName });
    expect(columns).toEqual(['domain']);
    expect(notes).toEqual([
      expect.stringMatching(
        /leads\.parquet: columns left out, because their type is bytes, not text: "logo", "age";/,
      ),
    ]);
  });
});

describe('files', () => {
  const rows = `select i as id, 'acme' || i || '.com' as domain, case when i % 5 = 0 then null else i % 3 end as kind,
    [i, i + 1] as pair from range(2100) t(i)`;
  let csv: Awaited<ReturnType<typeof readBack>>;
  beforeAll(async () => {
    const plain = rows.replace('[i, i + 1]', `'[' || i || ',' || (i + 1) || ']'`);
    csv = await readBack(await writeDuckdb(plain, 'format csv, header'));
  });

  test.each(['uncompressed', 'snappy', 'zstd', 'brotli'])(
    'of DuckDB with %s hold the rows of its CSV',
    async (codec) => {
      const list = await writeDuckdb(rows, `format parquet, codec ${codec}, row_group_size 2048`);
      const { columns, cells, rows: read } = await readBack(list, { fileName });
      expect(columns).toEqual(csv.columns);
      expect(cells.map((row) => row.map((cell) => cell ?? ''))).toEqual(csv.cells);
      expect(read.at(-1)).toMatchObject({ number: 2_100, line: 2_100 });
    },
  );

  test('of the second version, with delta encodings, are read', async () => {
    const list = await writeDuckdb(
      rows,
      'format parquet, parquet_version v2, dictionary_size_limit 1',
    );
    const { cells } = await readBack(list, { fileName });
    expect(cells.map((row) => row.map((cell) => cell ?? ''))).toEqual(csv.cells);
  });

  test('are detected by their first bytes, whatever their name and compression', async () => {
    const list = await writeDuckdb(`select 'acme.com' as domain`, 'format parquet');
    for (const content of [list, gzipSync(list)]) {
      expect((await readBack(content, { fileName: 'leads.csv' })).cells).toEqual([['acme.com']]);
    }
  });

  test('with more than two million values in a row group are read in parts', async () => {
    const others = Array.from({ length: 199 }, (_, index) => `'x' as c${index}`);
    const select = `select i as id, ${others.join(', ')} from range(10500) t(i)`;
    const list = await writeDuckdb(select, 'format parquet, row_group_size 20000');
    const { cells } = await readBack(list, { fileName });
    expect(cells.map(([id]) => id)).toEqual(Array.from({ length: 10_500 }, (_, row) => `${row}`));
  });
});

describe('damage', () => {
  const list = parquetOf(
    Array.from({ length: 40 }, (_, row) => [`acme${row % 7}.com`, row, row % 2 === 0]),
    20,
  );

  test('a file cut anywhere ends with one sentence', async () => {
    using folder = temporaryFolder();
    for (let length = 4; length < list.length; length += 41) {
      const read = await readAll(join(folder.path, fileName), list.subarray(0, length));
      expect(read).toMatchObject({
        code: 'INPUT_UNREADABLE',
        message: expect.stringMatching(
          /is a damaged Parquet file \(.*\)\. Download or write it again/,
        ),
      });
    }
  });
});

/** The rows, or what was thrown instead. */
async function readAll(path: string, content: Buffer): Promise<unknown> {
  writeFileSync(path, content);
  try {
    await using input = await openInput(path);
    return await Array.fromAsync(input.rows);
  } catch (error) {
    return error;
  }
}

function parquetOf(rows: readonly (readonly unknown[])[], rowGroupSize: number): Buffer {
  const writer = new ByteWriter();
  // A writer in memory is done when the call returns.
  void parquetWrite({
    writer,
    rowGroupSize,
    columnData: [
      { name: 'domain', data: rows.map(([text]) => text), type: 'STRING' },
      {
        name: 'size',
        data: rows.map(([, size]) => (size === null ? null : BigInt(Number(size)))),
        type: 'INT64',
      },
      { name: 'flag', data: rows.map(([, , flag]) => flag), type: 'BOOLEAN' },
    ],
  });
  return Buffer.from(writer.getBuffer());
}
