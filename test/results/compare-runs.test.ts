import { expect, test } from 'vitest';
import {
  type ColumnPair,
  isSameCell,
  pairColumns,
} from '../../src/core/columns/compare-records.ts';
import type { PeopleRecord, RowRecord, SearchRecord } from '../../src/core/columns/run-records.ts';
import {
  changeColumns,
  peopleColumns,
  type RecordedChange,
} from '../../src/core/columns/table-columns.ts';
import { companiesColumns } from '../../src/core/columns/tables.ts';
import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { changeOfRow, changesOfPeople } from '../../src/results/compare-runs.ts';
import {
  foundTonight,
  fullCompany,
  matchedRow,
  rejectedRow,
} from '../core/columns/sample-records.ts';

const headers = ['Company Name', 'ABN'];

function pairsWith(include: readonly string[] = []): ColumnPair[] {
  const columns = companiesColumns(headers);
  return pairColumns(columns, columns, include);
}

function change(before?: RowRecord, after?: RowRecord, include: readonly string[] = []) {
  const rows = {
    before: before && { record: before },
    after: after && { record: after },
  };
  return changeOfRow({ key: 'crm-1', ...rows }, pairsWith(include));
}

const other = { ...fullCompany(), id: 'c_2', name: 'Other Pty Ltd' };
const failed = rejectedRow(1, { status: 'failed', reason: 'timeout' });

test.each<[string, RowRecord | undefined, RowRecord | undefined, string | undefined]>([
  ['a row of one list only is added', undefined, matchedRow(1), 'row_added'],
  ['a row that failed in its first night is added', undefined, failed, 'row_added'],
  ['a row that is gone is removed', matchedRow(1), undefined, 'row_removed'],
  ['a company after a miss is found', rejectedRow(1), matchedRow(1), 'company_found'],
  ['a company after a failure is found', failed, matchedRow(1), 'company_found'],
  ['a miss after a company is a loss', matchedRow(1), rejectedRow(1), 'company_lost'],
  ['another company', matchedRow(1), matchedRow(1, { company: other }), 'company_replaced'],
  ['another identifier', matchedRow(1), matchedRow(1, { identifier: 'x' }), 'company_changed'],
  [
    'a miss that became invalid',
    rejectedRow(1),
    rejectedRow(1, { status: 'invalid', reason: 'abn_checksum' }),
    'company_changed',
  ],
  ['a failure after a company says nothing', matchedRow(1), failed, undefined],
  ['nor a miss after a failure', failed, rejectedRow(1), undefined],
  [
    'a stale answer says nothing',
    matchedRow(1),
    matchedRow(1, { isStale: true, company: other }),
    undefined,
  ],
  [
    'an answer after a stale one counts',
    matchedRow(1, { isStale: true }),
    matchedRow(1, { company: other }),
    'company_replaced',
  ],
  [
    'place and time of an answer are no change',
    matchedRow(1),
    matchedRow(7, { fetchedAt: '2026-09-01T00:00:00.000Z', changedAt: '2026-09-01T00:00:00.000Z' }),
    undefined,
  ],
  [
    'nor is what the list says beside',
    matchedRow(1),
    matchedRow(1, { cells: ['Harbour'] }),
    undefined,
  ],
])('%s', (_, before, after, op) => expect(change(before, after)?.op).toBe(op));

test('the file of changes says in a cell for people what is new', () => {
  const textOf = (found: ReturnType<typeof change>) =>
    found && textForPeople({ ...found, sinceRun: 'r1', run: 'r2' });
  const before = { ...fullCompany(), employee_count: 7, phones: null };
  const after = { ...before, employee_count: null, phones: ['1', '2'] };
  expect(
    textOf(change(matchedRow(1, { company: before }), matchedRow(1, { company: after }))),
  ).toBe('company_employee_count: 7 → nothing | company_phones: nothing → 1; 2');
  expect(textOf(change(matchedRow(1), matchedRow(1, { company: other })))).toBe(
    `company_name: ${fullCompany().name} → Other Pty Ltd`,
  );
  expect(textOf(change(undefined, matchedRow(1)))).toBeNull();
});

function textForPeople(recorded: RecordedChange) {
  return changeColumns.find(({ name }) => name === 'changed')?.value(recorded);
}

test('a change has its columns, their values before and after, and both times', () => {
  const company = { ...fullCompany(), employee_count: 7, phones: null, org_registers: { a: 'b' } };
  const fetchedAt = '2026-09-01T00:00:00.000Z';
  expect(change(matchedRow(3), matchedRow(4, { company, fetchedAt }))).toEqual({
    op: 'company_changed',
    rowKey: 'crm-1',
    rowNumber: 4,
    companyId: 'c_000123',
    companyName: fullCompany().name,
    country: 'AU',
    personId: null,
    columns: ['company_employee_count', 'company_phones', 'company_org_registers'],
    before: {
      company_employee_count: fullCompany().employee_count,
      company_phones: fullCompany().phones,
      company_org_registers: fullCompany().org_registers,
    },
    after: {
      company_employee_count: 7,
      company_phones: null,
      company_org_registers: { a: 'b' },
    },
    beforeFetchedAt: '2026-08-22T04:12:09.113Z',
    afterFetchedAt: fetchedAt,
  });
});

test('volatile columns count only if the job names them', () => {
  const { nextGen } = fullCompany();
  const web_traffic = { ...nextGen.web_traffic, summary: { bounce_rate: 0.9 } };
  const after = matchedRow(1, {
    company: { ...fullCompany(), nextGen: { ...nextGen, web_traffic } },
  });
  expect(change(matchedRow(1), after)).toBeUndefined();
  const column = 'company_next_gen_web_traffic_summary_bounce_rate';
  expect(change(matchedRow(1), after, [column])?.columns).toEqual([column]);
  expect(change(matchedRow(1), after, ['company_next_gen_web_*'])?.columns).toHaveLength(4);
  const corrected = matchedRow(1, { cells: ['Harbour', '51 824 753 556'] });
  expect(change(matchedRow(1), corrected, ['input_*'])).toMatchObject({
    columns: ['input_company_name'],
    before: { input_company_name: 'Harbour Lane' },
    after: { input_company_name: 'Harbour' },
  });
});

test('the order of lists and keys is not a change', () => {
  expect(isSameCell('list', ['a', 'b'], ['b', 'a'])).toBe(true);
  expect(isSameCell('list', ['a', 'a', 'b'], ['a', 'b', 'b'])).toBe(false);
  expect(isSameCell('json', '{"a":["x","y"],"b":1}', '{"b":1,"a":["y","x"]}')).toBe(true);
  expect(isSameCell('json', '{"a":[1]}', '{"a":[2]}')).toBe(false);
  expect(isSameCell('text', '[1,2]', '[2,1]')).toBe(false);
  const deep = (inner: number) => `${'['.repeat(50_000)}${inner}${']'.repeat(50_000)}`;
  expect(isSameCell('json', deep(1), deep(2))).toBe(false);
});

const names = { seniority: seniorityNames, department: departmentNames };
const pairs = pairColumns(peopleColumns, peopleColumns, []);

const at = (day: number) => `2026-09-0${day}T00:00:00.000Z`;

function search(
  people: readonly unknown[],
  changes: Partial<SearchRecord> = {},
  fetchedAt = at(1),
): SearchRecord {
  const filters = { seniority: '3', department: null, position: null };
  return { ...filters, isComplete: true, pages: [{ fetchedAt, people }], ...changes };
}

function company(searches: readonly SearchRecord[], isStale = false): PeopleRecord {
  const rows = { serviceId: 1, rows: [2, 5], rowKeys: ['crm-2', 'crm-5'], listCompany: 'Acme' };
  return { companyId: 'c_1', country: 'AU', ...rows, ...foundTonight, isStale, searches };
}

function changes(before: PeopleRecord | undefined, after: PeopleRecord | undefined) {
  return [...changesOfPeople({ before, after }, pairs, names)];
}

function told(before: PeopleRecord, after: PeopleRecord) {
  return changes(before, after).map(({ op, personId }) => `${op} ${personId}`);
}

const ceo = { person_id: 'p1', position: 'CEO', company_name: 'Acme' };
const cfo = { person_id: 'p2', position: 'CFO', company_name: 'Acme' };
const cto = { person_id: 'p3', position: 'CTO', company_name: 'Acme' };

test('people join, leave and change, each with their fields', () => {
  const before = company([search([ceo, cfo])]);
  const after = company([search([cto, { ...ceo, position: 'Chair' }], {}, at(2))]);
  const found = changes(before, after);
  const facts = { rowKey: 'crm-2', rowNumber: 2, companyId: 'c_1', companyName: 'Acme' };
  expect(found).toMatchObject([
    { op: 'person_joined', personId: 'p3', ...facts, columns: [], before: null },
    {
      op: 'person_changed',
      personId: 'p1',
      ...facts,
      columns: ['position'],
      before: { position: 'CEO' },
      after: { position: 'Chair' },
      beforeFetchedAt: at(1),
      afterFetchedAt: at(2),
    },
    { op: 'person_left', personId: 'p2', ...facts, columns: [], after: null },
  ]);
  expect(found[0]?.after).toMatchObject({ position: 'CTO', seniority: ['3'] });
  expect(found[2]?.before).toMatchObject({ position: 'CFO' });
});

test('an incomplete search makes nobody join or leave', () => {
  const part = { isComplete: false };
  expect(told(company([search([ceo], part)]), company([search([cfo])]))).toEqual([
    'person_left p1',
  ]);
  expect(told(company([search([ceo])]), company([search([cfo], part)]))).toEqual([
    'person_joined p2',
  ]);
});

test('stale people are not a change, and later ones are compared with them', () => {
  expect(told(company([search([ceo])]), company([search([cfo])], true))).toEqual([]);
  expect(told(company([search([ceo])], true), company([search([ceo, cfo])]))).toEqual([
    'person_joined p2',
  ]);
});

test('people without an id are identified by their fields, and counted', () => {
  const nobody = { position: 'CEO' };
  const before = company([search([nobody, nobody, { position: 'CFO' }])]);
  const after = company([search([nobody, { position: 'CTO' }])]);
  expect(
    changes(before, after).map(({ op, before: was, after: is }) => [op, (is ?? was)?.position]),
  ).toEqual([
    ['person_joined', 'CTO'],
    ['person_left', 'CEO'],
    ['person_left', 'CFO'],
  ]);
});
