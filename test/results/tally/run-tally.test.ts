import { expect, test } from 'vitest';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { peopleColumns } from '../../../src/core/columns/table-columns.ts';
import { flattenRow } from '../../../src/core/columns/tables.ts';
import { openRunTally, type RunTally } from '../../../src/results/tally/run-tally.ts';
import { matchedRow, rejectedRow } from '../../core/columns/sample-records.ts';

const inputWidth = 2;

function fold(rows: readonly RowRecord[]): RunTally {
  const tally = openRunTally();
  for (const row of rows) tally.add({ row: flattenRow(row, inputWidth) });
  return tally.facts();
}

test('the sample has the first 3,000 rows of each class', () => {
  const rows = Array.from({ length: 4_000 }, (_, index) =>
    index % 10 === 3 ? rejectedRow(index + 1) : matchedRow(index + 1, { company: { id: 'c' } }),
  );
  const { sample } = fold(rows);
  expect(sample.matched).toHaveLength(3_000);
  expect(sample.not_found).toHaveLength(400);
});

test('reasons are counted with their first rows, and companies with another identifier', () => {
  const tally = fold([
    matchedRow(1),
    matchedRow(2, { match: 'mismatch', askedBy: 'fqdn' }),
    rejectedRow(3),
    rejectedRow(4, { status: 'invalid', reason: 'blank', askedBy: null, cells: ['Acme', 'n/a'] }),
  ]);
  expect(tally.mismatches).toBe(1);
  expect(tally.reasons.map(({ reason, rows }) => [reason, rows])).toEqual([
    ['not_found', 1],
    ['blank', 1],
  ]);
  expect(tally.reasons[1]?.examples).toEqual([4]);
  expect(tally.sample.mismatch).toEqual([2]);
});

test('people are counted for every search that found them, and by how they can be reached', () => {
  const person = peopleColumns.map(({ name, type }) => {
    if (name === 'seniority') return ['3', '4'];
    // Whoever is of an earlier search is reached in no other way.
    return type === 'boolean' ? name === 'has_email' || name === 'stale' : null;
  });
  const tally = openRunTally();
  tally.add({ person });
  tally.add({ person });
  const { people, seniorities, channels } = tally.facts().people;
  expect(people).toBe(2);
  expect(seniorities).toEqual([
    ['3', 2],
    ['4', 2],
  ]);
  expect(channels).toEqual([['has_email', 2]]);
});
