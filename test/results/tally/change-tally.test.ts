import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/columns/compare-records.ts';
import { createChangeTally } from '../../../src/results/tally/change-tally.ts';

function change(number: number, changes: Partial<Change> = {}): Change {
  return {
    op: 'company_changed',
    rowKey: `crm-${number}`,
    rowNumber: number,
    country: 'AU',
    companyId: `c_${number}`,
    companyName: `Company ${number}`,
    personId: null,
    columns: ['company_phones', 'company_employee_count'],
    before: { company_phones: ['1', '2'], company_employee_count: number },
    after: { company_phones: null, company_employee_count: number + 1 },
    beforeFetchedAt: null,
    afterFetchedAt: null,
    ...changes,
  };
}

test('new and removed records are shown by name, without their fields', () => {
  const tally = createChangeTally();
  tally.add(change(1, { op: 'company_replaced', before: { company_name: 'Old' } }));
  tally.add(change(2, { op: 'company_lost', after: { reason: 'not_found' } }));
  const joined = { op: 'person_joined', personId: 'p1', columns: [], before: null } as const;
  tally.add(change(3, { ...joined, after: { position: 'CTO' } }));
  const added = { op: 'row_added', columns: [], before: null, companyName: null } as const;
  tally.add(change(4, { ...added, companyId: null, after: { identifier: 'acme.com' } }));
  const { fields, samples } = tally.facts();
  expect(fields).toEqual([]);
  expect(samples).toMatchObject([
    { op: 'row_added', name: 'acme.com', fields: [] },
    { op: 'company_lost', name: 'Company 2', reason: 'not_found', fields: [] },
    { op: 'company_replaced', name: 'Company 1', nameBefore: 'Old' },
    { op: 'person_joined', name: 'Company 3', person: 'CTO, p1' },
  ]);
});
