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

test('a row of column names is refused where there is said to be none', () => {
  const input = { path: 'leads.csv', header: false, headerRow: 3 };
  const { error } = Job.safeParse({ ...minimal, input });
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['input.headerRow']);
});
