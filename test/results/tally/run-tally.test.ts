import { expect, test } from 'vitest';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { peopleColumns } from '../../../src/core/columns/table-columns.ts';
import { flattenRow } from '../../../src/core/columns/tables.ts';
import { createRunTally, type RunTally } from '../../../src/results/tally/run-tally.ts';
import { matchedRow, rejectedRow } from '../../core/columns/sample-records.ts';

const inputWidth = 2;

function fold(rows: readonly RowRecord[]): RunTally {
  const tally = createRunTally();
  for (const row of rows) tally.add({ row: flattenRow(row, inputWidth) });
  return tally.facts();
}

test('reasons are counted with their first rows, and companies with another identifier', () => {
  const tally = fold([
    matchedRow(1),
    matchedRow(2, { match: 'mismatch', identifierKind: 'fqdn' }),
    rejectedRow(3),
    rejectedRow(4, {
      status: 'invalid',
      reason: 'blank',
      identifierKind: null,
      cells: ['Acme', 'n/a'],
    }),
  ]);
  expect(tally.mismatches).toBe(1);
  expect(tally.reasons.map(({ reason, rows }) => [reason, rows])).toEqual([
    ['not_found', 1],
    ['blank', 1],
  ]);
  expect(tally.reasons[1]?.examples).toEqual([4]);
  expect(tally.sample.mismatch).toEqual([2]);
});

test('people are counted by row, and the first are kept for the report', () => {
  const person = peopleColumns.map(({ name }) => {
    if (name === 'row_numbers') return [1, 9];
    return name === 'position' ? 'Chief' : null;
  });
  const tally = createRunTally();
  tally.add({ row: flattenRow(matchedRow(1), inputWidth) });
  for (let at = 0; at < 201; at += 1) tally.add({ person });
  const { first, ofRow } = tally.facts().people;
  expect(first).toHaveLength(200);
  expect(first[0]).toEqual(person);
  // Only rows that the report shows are counted.
  expect(ofRow).toEqual([[1, 201]]);
});
