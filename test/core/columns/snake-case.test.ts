import { expect, test } from 'vitest';
import { snakeCase } from '../../../src/core/columns/columns.ts';

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
