import { expect, test } from 'vitest';
import { makeUnique, snakeCase } from '../../../src/core/columns/columns.ts';

test.each([
  ['nextGen', 'next_gen'],
  ['ABNStatus', 'abn_status'],
  ['Company IDs', 'company_ids'],
  ['CompanyLinkedInURL', 'company_linkedin_url'],
  ['B2B Leads', 'b2b_leads'],
  ['Q1Revenue', 'q1_revenue'],
  ['  E-mail (work)  ', 'e_mail_work'],
  ['会社 名', '会社_名'],
  ['ＡＢＮ', 'abn'],
  ['***', ''],
])('%j becomes %s', (text, name) => expect(snakeCase(text)).toBe(name));

test('equal names are numbered, also when a numbered one is taken', () => {
  expect(makeUnique(['a', 'a', 'a_2', 'a'])).toEqual(['a', 'a_2', 'a_2_2', 'a_3']);
});

test('names that differ only in capitals are equal, as they are in a warehouse', () => {
  expect(makeUnique(['Name', 'name', 'NAME_2'])).toEqual(['Name', 'name_2', 'NAME_2_2']);
  expect(makeUnique(['status'], { taken: ['Status'] })).toEqual(['status_2']);
});
