import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Column, ColumnType, FlatRecord } from '../../../src/core/columns/columns.ts';
import { companiesColumns, flattenRow } from '../../../src/core/columns/tables.ts';
import {
  copyLine,
  storableJson,
  storableKey,
  storableText,
} from '../../../src/results/postgres/encode-copy.ts';
import { arbitraryAnswer, arbitraryText } from '../../core/columns/arbitrary-answer.ts';
import { matchedRow } from '../../core/columns/sample-records.ts';
import { sharedPostgres as postgres, testWithPostgres } from '../../support/postgres.ts';
import { sourceOf } from '../sample-run.ts';
import { factsOf, load, loadOptions, openSession } from './load-sample.ts';

test('cells stand between tabs, null is \\N, and what COPY would read as its own is escaped', () => {
  const types = ['text', 'text', 'integer', 'boolean', 'list', 'integers', 'json'] as const;
  const record = ['a\tb\\N\r\n', null, -7, true, ['x"y', '\\'], [1, 2], '{"a":"\\n"}'];
  expect(linesOf(types, [record, []])).toBe(
    [
      'a\\tb\\\\N\\r\\n\t\\N\t-7\ttrue\t["x\\\\"y","\\\\\\\\"]\t[1,2]\t{"a":"\\\\n"}',
      '\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N',
      '',
    ].join('\n'),
  );
});

testWithPostgres('whatever the records are, the warehouse gives them back', async () => {
  const { url } = await postgres();
  await using session = await openSession(url);
  const headers = ['Company Name', 'ABN'];
  const columns = companiesColumns(headers);
  const row = fc.record({
    company: arbitraryAnswer(),
    cells: fc.array(fc.option(arbitraryText()), { maxLength: 2 }),
    message: fc.option(arbitraryText()),
    fetchedAt: fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  });
  let night = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (parts) => {
      night += 1;
      const rows = parts.map((part, index) => matchedRow(index + 1, part));
      const options = loadOptions(url, 'any', factsOf(night));
      await load(sourceOf(rows), options);
      const text = 'select * from "any".companies order by row_number';
      const { rows: stored } = await session.run(text);
      const expected = rows.map((one) => flattenRow(one, headers.length).cells);
      const given = stored.map((record) => columns.map(({ name }) => record[name]));
      return isDeepStrictEqual(
        given,
        expected.map((cells) =>
          columns.map((column, index) => asStored(column, cells[index] ?? null)),
        ),
      );
    }),
    { numRuns: 12 },
  );
});

testWithPostgres(
  'a NUL, half a surrogate pair and deep JSON are stored as the documents say',
  async () => {
    const { url, sql } = await postgres();
    let deep: unknown = 'end';
    for (let level = 0; level < 5_000; level += 1) deep = [deep];
    const company = {
      id: 'c_1',
      name: 'a\0b\ud800',
      phones: ['\0', '\udc00'],
      other: { 'k\0': '\0' },
      deep,
    };
    await load(sourceOf([matchedRow(1, { company })]), loadOptions(url, 'odd', factsOf(1)));
    expect(
      await sql(
        `select company_name, company_phones, jsonb_typeof(company_extra) from odd.companies`,
      ),
    ).toEqual(['a\ufffdb\ufffd|["\ufffd", "\ufffd"]|string']);
  },
);

testWithPostgres('keys that only PostgreSQL would not tell apart stay apart', async () => {
  const { url, sql } = await postgres();
  const keys = ['a\0', 'a\ufffd', 'a\0\0', 'a\ufffd\0', 'a\ud800', 'a\ud801'];
  const rows = keys.map((key, index) => ({ ...matchedRow(index + 1), key }));
  const nightly = async (night: number) => {
    await load(sourceOf(rows), loadOptions(url, 'keys', factsOf(night)));
    return await sql('select xmin, row_key from keys.companies order by row_number');
  };
  const first = await nightly(1);
  expect(first).toHaveLength(keys.length);
  expect(await nightly(2)).toEqual(first);
  const stored = await sql('select row_key from keys.companies order by row_number');
  expect(stored[0]).toMatch(/^a\ufffd~[0-9a-f]{16}$/);
  expect(stored[1]).toBe('a\ufffd');
});

/** A cell as node-postgres gives it back. */
function asStored(
  { name, type }: Pick<Column, 'name' | 'type'>,
  cell: FlatRecord[number],
): unknown {
  if (cell === null) return null;
  if (name === 'company_id') return storableKey(cell as string);
  switch (type) {
    case 'text':
      return storableText(cell as string);
    case 'integer':
      return String(cell);
    case 'decimal':
      // JavaScript writes -0 as 0.
      return cell === 0 ? 0 : cell;
    case 'timestamp':
      return new Date(cell as string);
    case 'list':
      return (cell as readonly string[]).map(storableText);
    case 'json':
      return JSON.parse(storableJson(cell as string));
    default:
      return cell;
  }
}

function linesOf(types: readonly ColumnType[], records: readonly FlatRecord[]): string {
  return records.map(copyLine(types.map((type) => ({ name: 'input_cell', type })))).join('');
}
