import { expect, test } from 'vitest';
import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { referenceId } from '../../src/job/job-schema.ts';

test.each([
  [3, '3'],
  ['C-Suite', '3'],
  [' c-suite ', '3'],
  ['vp / director', '4'],
  ['founder', '2'],
])('seniority %j is id %s', (given, id) => expect(referenceId(given, seniorityNames)).toBe(id));

test('a part that two names share gives no id', () => {
  expect(referenceId('Director', seniorityNames)).toBeUndefined();
});

test.each([0, 18, 'Wizards', '', 'constructor'])('%j is not a department', (given) => {
  expect(referenceId(given, departmentNames)).toBeUndefined();
});

test('every name leads back to its id', () => {
  for (const table of [seniorityNames, departmentNames]) {
    for (const [id, name] of Object.entries(table)) expect(referenceId(name, table)).toBe(id);
  }
});
