import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Column, FlatRecord } from '../../../../src/core/columns/columns.ts';
import { companiesColumns, flattenRow } from '../../../../src/core/columns/tables.ts';
import {
  storableJson,
  storableKey,
  storableText,
} from '../../../../src/results/destinations/postgres/encode-copy.ts';
import { arbitraryAnswer, arbitraryText } from '../../../core/columns/arbitrary-answer.ts';
import { matchedRow } from '../../../core/columns/sample-records.ts';
import { sharedPostgres, testWithPostgres } from '../../../support/postgres.ts';
import { sourceOf } from '../../sample-run.ts';
import { factsOf, load, loadOptions, openSession } from './load-sample.ts';

const postgres = sharedPostgres();

testWithPostgres('the warehouse returns any records unchanged', async () => {
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
  let night = 1;
  await load(sourceOf([]), loadOptions(url, 'any', factsOf(night)));
  await session.run('alter table "any".companies add column row_number bigint');
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
    { numRuns: 2 },
  );
});

testWithPostgres('a NUL and half a surrogate pair are stored as the documents say', async () => {
  const { url, sql } = await postgres();
  const company = {
    id: 'c_1',
    name: 'a\0b\ud800',
    phones: ['\0', '\udc00'],
    other: { 'k\0': '\0' },
  };
  await load(sourceOf([matchedRow(1, { company })]), loadOptions(url, 'odd', factsOf(1)));
  expect(
    await sql(`select company_name, company_phones, company_extra from odd.companies`),
  ).toEqual(['a\ufffdb\ufffd|["\ufffd", "\ufffd"]|{"other": {"k\ufffd": "\ufffd"}}']);
});

testWithPostgres.for([
  [3_000, '[[[[[[[[['],
  [50_000, '"nested t'],
] as const)('JSON of %i levels is stored as %s', async ([levels, start]) => {
  const { url, sql } = await postgres();
  let deep: unknown = 'end';
  for (let level = 0; level < levels; level += 1) deep = [deep];
  const source = sourceOf([matchedRow(1, { company: { id: 'c_1', deep } })]);
  await load(source, loadOptions(url, `deep_${levels}`, factsOf(1)));
  const stored = `select coalesce(company_extra->'deep', company_extra) from deep_${levels}.companies`;
  expect((await sql(stored))[0]?.slice(0, 9)).toBe(start);
});

testWithPostgres('keys that PostgreSQL would treat as equal stay different', async () => {
  const { url, sql } = await postgres();
  const keys = ['a\0', 'a\ufffd', 'a\0\0', 'a\ufffd\0', 'a\ud800', 'a\ud801'];
  const rows = keys.map((key, index) => ({ ...matchedRow(index + 1), key }));
  const nightly = async (night: number) => {
    await load(sourceOf(rows), loadOptions(url, 'keys', factsOf(night)));
    return await sql('select xmin, row_key from keys.companies order by row_key');
  };
  const first = await nightly(1);
  expect(first).toHaveLength(keys.length);
  expect(await nightly(2)).toEqual(first);
  const stored = await sql('select row_key from keys.companies order by row_key');
  expect(stored).toContain('a\ufffd');
  const others = stored.filter((key) => key !== 'a\ufffd');
  expect(others.every((key) => /^a\ufffd+~[0-9a-f]{16}$/.test(key))).toBe(true);
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
