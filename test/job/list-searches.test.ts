import { expect, test } from 'vitest';
import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { listSearches } from '../../src/job/job-schema.ts';

const reference = { seniority: seniorityNames, department: departmentNames };
const paging = { pageSize: 50, maxPerCompany: 1000 };

test('there is one search for each combination', () => {
  const people = { ...paging, seniority: [3, 'VP'], department: ['Sales'], position: ['a', 'b'] };
  expect(listSearches(people, reference)).toEqual([
    { seniority: '3', department: '2', position: 'a' },
    { seniority: '3', department: '2', position: 'b' },
    { seniority: '4', department: '2', position: 'a' },
    { seniority: '4', department: '2', position: 'b' },
  ]);
});

test('a filter given by id and by name is searched once', () => {
  const people = { ...paging, seniority: [3, 'C-Suite', 'c-suite'] };
  expect(listSearches(people, reference)).toHaveLength(1);
});

test('without filters one search asks for everybody', () => {
  expect(listSearches(paging, reference)).toEqual([
    { seniority: undefined, department: undefined, position: undefined },
  ]);
});
