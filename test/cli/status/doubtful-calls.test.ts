import { expect, test } from 'vitest';
import { describeCall } from '../../../src/cli/status/doubtful-calls.ts';

test('a company call names the identifier and the country', () => {
  const identifier = { kind: 'ln_url', value: 'https://www.linkedin.com/company/1035' } as const;
  expect(describeCall({ operation: 'company', identifier, country: 'SG' })).toBe(
    'company by ln_url https://www.linkedin.com/company/1035 in SG',
  );
});

test('a page of people names the company, what was searched and where the page begins', () => {
  const body = { companyId: 'c_1', selectedCountry: 'AU', from: '50', size: '25', seniority: '3' };
  expect(describeCall({ operation: 'people', body })).toBe(
    'people of company c_1 in AU, seniority 3, 25 from 50',
  );
});
