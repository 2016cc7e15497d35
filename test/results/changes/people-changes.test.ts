import { expect, test } from 'vitest';
import { pairColumns } from '../../../src/core/columns/compare-records.ts';
import type { PeopleRecord, SearchRecord } from '../../../src/core/columns/run-records.ts';
import { peopleColumns } from '../../../src/core/columns/table-columns.ts';
import { departmentNames, seniorityNames } from '../../../src/core/contract/reference.ts';
import { changesOfPeople } from '../../../src/results/changes.ts';
import { foundTonight } from '../../core/columns/sample-records.ts';

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
  const rows = { rows: [2, 5], rowKeys: ['crm-2', 'crm-5'] };
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

test('people of a company that only one run has searched have neither joined nor left', () => {
  expect(changes(undefined, company([search([ceo])]))).toEqual([]);
  expect(changes(company([search([ceo])]), undefined)).toEqual([]);
});

test('a search that only one run made does not make people join or leave', () => {
  const before = company([search([ceo]), search([cto], { seniority: '5' })]);
  const after = company([search([ceo]), search([cfo], { seniority: '4' })]);
  expect(told(before, after)).toEqual([]);
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
