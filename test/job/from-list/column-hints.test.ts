import { expect, test } from 'vitest';
import { columnHints } from '../../../src/job/from-list/detect-columns.ts';

/** The hints that hold, by name. */
function hintsOf(header: string): string[] {
  return Object.entries(columnHints(header)).flatMap(([name, holds]) => (holds ? [name] : []));
}

test.each([
  ['Website', ['domain']],
  ['companyDomain', ['domain']],
  ['COMPANY_WEBSITE_URL', ['domain']],
  ['ABN/ACN', ['abn', 'namesRegister']],
  ['Biz No.', ['abn']],
  ['E-mail', ['email']],
  ['LinkedIn URL', ['network']],
  ['Person Linkedin Url', ['network', 'isPerson']],
  ['Contact Email', ['email', 'isPerson']],
  ['Personal Email', ['email', 'isUnrelated']],
  ['Source URL', ['domain', 'isUnrelated']],
  ['File', ['isUnrelated']],
  ['Facebook URL', []],
  ['Company Name', ['isName']],
  ['Country', ['country']],
  ['Country/Region', ['country']],
  ['State', ['isOtherCode']],
  ['Dialling country code', []],
  ['column_3', []],
  ['', []],
])('the header %j hints at %j', (header, hints) => expect(hintsOf(header)).toEqual(hints));
