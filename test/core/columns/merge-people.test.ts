import { expect, test } from 'vitest';
import type { Cell } from '../../../src/core/columns/columns.ts';
import type { PeopleRecord, SearchRecord } from '../../../src/core/columns/run-records.ts';
import { peopleColumns } from '../../../src/core/columns/table-columns.ts';
import { mergePeople } from '../../../src/core/columns/tables.ts';
import { departmentNames, seniorityNames } from '../../../src/core/contract/reference.ts';
import { foundTonight } from './sample-records.ts';

const first = '2026-08-22T04:00:00.000Z';
const names = {
  seniority: { ...seniorityNames, 3: 'Executives' },
  department: departmentNames,
};
const later = '2026-08-22T05:00:00.000Z';

test('a person found by several searches is one record that names them all', () => {
  const people = merge([
    search({ seniority: '3', department: '2' }, [{ person_id: 'p1', position: 'CEO' }], first),
    search({ seniority: '1', department: '2' }, [{ person_id: 'p2' }, { person_id: 'p1' }], later),
    search({ position: 'Head of Sales' }, [{ person_id: 'p1' }], later),
  ]);
  expect(people).toHaveLength(2);
  expect(people[0]).toMatchObject({
    company_id: 'c_1',
    person_id: 'p1',
    position: 'CEO',
    seniority: ['3', '1'],
    seniority_name: ['Executives', 'Board Member / Director'],
    department: ['2'],
    department_name: ['Sales'],
    position_query: ['Head of Sales'],
    country: 'AU',
    row_numbers: [1, 4],
    row_keys: ['crm-1', 'crm-4'],
    fetched_at: first,
    extra: null,
  });
  expect(people[1]).toMatchObject({ person_id: 'p2', seniority: ['1'], position_query: [] });
});

test('the first value counts, and a later finding fills what was null', () => {
  const [person] = merge([
    search({}, [{ person_id: 'p1', position: 'CEO', has_email: null }], first),
    search({}, [{ person_id: 'p1', position: 'CFO', has_email: true, team: 'A' }], later),
    search({}, [{ person_id: 'p1', score: 7, team: 'B' }], later),
  ]);
  expect(person).toMatchObject({
    position: 'CEO',
    has_email: true,
    extra: '{"team":"A","score":7}',
  });
});

test('people without a usable id are each kept', () => {
  const nameless = [{ position: 'CEO' }, { position: 'CEO' }, { person_id: '' }, 'somebody', null];
  const people = merge([search({}, nameless, first), search({}, [{ person_id: { a: 1 } }], later)]);
  expect(people.map(({ person_id, extra }) => [person_id, extra])).toEqual([
    [null, null],
    [null, null],
    [null, null],
    [null, '"somebody"'],
    [null, '{"person_id":{"a":1}}'],
  ]);
});

function search(
  asked: Partial<Pick<SearchRecord, 'seniority' | 'department' | 'position'>>,
  people: readonly unknown[],
  fetchedAt: string,
): SearchRecord {
  return {
    seniority: null,
    department: null,
    position: null,
    isComplete: true,
    pages: [{ fetchedAt, people }],
    ...asked,
  };
}

function company(searches: readonly SearchRecord[]): PeopleRecord {
  const rowKeys = ['crm-1', 'crm-4'];
  const found = { rowKeys, listCompany: 'Acme', ...foundTonight };
  return { companyId: 'c_1', country: 'AU', serviceId: 1, rows: [1, 4], ...found, searches };
}

function merge(searches: readonly SearchRecord[]): Record<string, Cell>[] {
  return mergePeople(company(searches), names).map((record) =>
    Object.fromEntries(peopleColumns.map(({ name }, index) => [name, record[index] ?? null])),
  );
}
