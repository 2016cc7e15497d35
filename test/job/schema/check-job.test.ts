import { expect, test } from 'vitest';
import { Job } from '../../../src/job/job-schema.ts';

const minimal = { name: 'leads', input: { path: 'leads.csv' } };

test('a name that the job defines replaces the default name', () => {
  const reference = { department: { 2: 'Revenue' } };
  const withDepartment = (department: string) =>
    Job.safeParse({ ...minimal, reference, people: { department } }).success;
  expect(withDepartment('revenue')).toBe(true);
  expect(withDepartment('Sales')).toBe(false);
  expect(withDepartment('Marketing')).toBe(true);
});
