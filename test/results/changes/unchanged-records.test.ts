import { expect, test } from 'vitest';
import type {
  ChangedSide,
  PeopleRecord,
  RowRecord,
} from '../../../src/core/columns/run-records.ts';
import { departmentNames, seniorityNames } from '../../../src/core/contract/reference.ts';
import { unchangedPeople, unchangedRows } from '../../../src/results/changes.ts';
import { foundTonight, fullCompany, matchedRow } from '../../core/columns/sample-records.ts';

const names = { seniority: seniorityNames, department: departmentNames };
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

function company(runId: number, people: readonly object[], earlier = {}): PeopleRecord {
  const pages = [{ fetchedAt: `2026-09-0${runId}T00:00:00.000Z`, people }];
  const filters = { seniority: '3', department: null, position: null, isComplete: true };
  return {
    ...{ companyId: 'c_1', country: 'AU', rows: [1], rowKeys: ['crm-1'], ...foundTonight },
    ...{ changedRun: runId, changedRunByPerson: earlier, searches: [{ ...filters, pages }] },
  };
}

test('people who are found again as they were keep theirs, each their own', () => {
  const [ceo, cfo, cto] = ['p1', 'p2', 'constructor'].map((person_id) => ({ person_id }));
  const before = company(3, [ceo ?? {}, cfo ?? {}, cto ?? {}], { p2: 1 });
  const after = company(5, [
    { ...ceo, position: 'Chair' },
    cfo ?? {},
    cto ?? {},
    { person_id: 'p4' },
  ]);
  expect([...unchangedPeople([{ before, after }], 5, names)]).toEqual([
    { companyId: 'c_1', country: 'AU', changedRuns: { p2: 1, constructor: 3 } },
  ]);
  // People of an earlier search stand as they are.
  expect([...unchangedPeople([{ before, after }], 6, names)]).toEqual([]);
});
