import { expect, test } from 'vitest';
import type { ChangedSide, RowRecord } from '../../../src/core/columns/run-records.ts';
import { unchangedRows } from '../../../src/results/changes.ts';
import { fullCompany, matchedRow } from '../../core/columns/sample-records.ts';

const headers = ['Company Name', 'ABN'];

const side = (record: RowRecord, rowId: number, changedRun: number | null): ChangedSide => ({
  ...{ record, rowId, changedRun },
});

function unchanged(before: ChangedSide | undefined, after: ChangedSide | undefined) {
  return [...unchangedRows([{ key: 'crm-1', before, after }], headers, headers)];
}

test('a record that was fetched anew and says the same keeps the run in which it became so', () => {
  const again = matchedRow(7, { fetchedAt: '2026-09-01T00:00:00.000Z', isStale: true });
  expect(unchanged(side(matchedRow(1), 4, 2), side(again, 4, 9))).toEqual([
    { rowId: 4, changedRun: 2 },
  ]);
});

test('any other column makes it another record, those that move by themselves, too', () => {
  const { nextGen } = fullCompany();
  const company = { ...fullCompany(), nextGen: { ...nextGen, web_traffic: null } };
  for (const after of [matchedRow(1, { company }), matchedRow(1, { cells: ['Harbour'] })]) {
    expect(unchanged(side(matchedRow(1), 4, 2), side(after, 4, 9))).toEqual([]);
  }
});
