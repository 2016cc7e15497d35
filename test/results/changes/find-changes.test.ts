import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Change,
  cellsOf,
  type NamedCells,
  pairColumns,
} from '../../../src/core/columns/compare-records.ts';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { companiesColumns, flattenRow } from '../../../src/core/columns/tables.ts';
import { departmentNames, seniorityNames } from '../../../src/core/contract/reference.ts';
import { findChanges } from '../../../src/results/changes.ts';
import { fullCompany, matchedRow, rejectedRow } from '../../core/columns/sample-records.ts';

const names = { seniority: seniorityNames, department: departmentNames };
const headers = ['Company Name', 'ABN'];
const columns = companiesColumns(headers);
const pairs = pairColumns(columns, columns, []);

/** A night: what each row of the list came to, by its key. */
type Night = ReadonlyMap<string, RowRecord>;

const company = fc.record({
  id: fc.constantFrom('c_1', 'c_2'),
  employee_count: fc.option(fc.nat({ max: 3 })),
  phones: fc.constantFrom(null, ['1'], ['1', '2'], ['2', '1']),
});

const row = fc.oneof(
  company.map((some) => matchedRow(1, { company: { ...fullCompany(), ...some } })),
  fc.constantFrom('not_found', 'other').map((reason) => rejectedRow(1, { reason })),
);

const night: fc.Arbitrary<Night> = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), row)
  .map((rows) => new Map(Object.entries(rows)));

function changesBetween(before: Night, after: Night): Change[] {
  const sideOf = (record: RowRecord | undefined) => record && { record };
  const keys = [...after.keys(), ...[...before.keys()].filter((key) => !after.has(key))];
  const rows = keys.map((key) => ({
    ...{ key, before: sideOf(before.get(key)), after: sideOf(after.get(key)) },
  }));
  const how = { headersBefore: headers, headersAfter: headers, include: [], names };
  return [...findChanges({ rows, people: [], ...how })];
}

/** The compared cells of a night, without empty ones and the order of lists. */
function cellsIn(rows: Night): Map<string, NamedCells> {
  return new Map(
    [...rows].map(([key, record]) => [
      key,
      plain(cellsOf(pairs, flattenRow(record, 2).cells, 'after')),
    ]),
  );
}

function plain(cells: NamedCells): NamedCells {
  const filled = Object.entries(cells).filter(([, value]) => value !== null);
  return Object.fromEntries(
    filled.map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value]),
  );
}

function apply(rows: Map<string, NamedCells>, { op, rowKey, after }: Change): void {
  if (op === 'row_removed') rows.delete(rowKey);
  else rows.set(rowKey, plain({ ...rows.get(rowKey), ...after }));
}

test('the changes of a night lead from the one before to it, and nothing else does', () => {
  fc.assert(
    fc.property(night, night, (before, after) => {
      const rows = cellsIn(before);
      for (const change of changesBetween(before, after)) apply(rows, change);
      expect(rows).toEqual(cellsIn(after));
      expect(changesBetween(after, after)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
