import { expect, test } from 'vitest';
import { Job } from '../../../src/job/job-schema.ts';

const minimal = { name: 'leads', input: { path: 'leads.csv' } };

test('names are checked even where other fields are wrong', () => {
  const { error } = Job.safeParse({ ...minimal, name: 'No!', people: { seniority: 'Wizard' } });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['name', 'people.seniority']);
});

test('a name that the job defines replaces the default name', () => {
  const reference = { department: { 2: 'Revenue' } };
  const withDepartment = (department: string) =>
    Job.safeParse({ ...minimal, reference, people: { department } }).success;
  expect(withDepartment('revenue')).toBe(true);
  expect(withDepartment('Sales')).toBe(false);
  expect(withDepartment('Marketing')).toBe(true);
});

test('a name that two ids share is refused', () => {
  const reference = { seniority: { 2: 'Boss', 3: 'Boss' } };
  const { error } = Job.safeParse({ ...minimal, reference, people: { seniority: ['Boss'] } });
  expect(error?.issues.map(({ path }) => path)).toEqual([['people', 'seniority', 0]]);
});

test.each([null, 'text', [], { people: null }, { people: { seniority: {} }, reference: 3 }])(
  'what is no job at all is refused without a crash: %j',
  (value) => expect(Job.safeParse(value).success).toBe(false),
);

test('a row of column names is refused where there is said to be none', () => {
  const input = { path: 'leads.csv', header: false, headerRow: 3 };
  const { error } = Job.safeParse({ ...minimal, input });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['input.headerRow']);
});
