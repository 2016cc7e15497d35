import { expect, test } from 'vitest';
import { wrongColumn } from '../../../../../src/ui/pages/workbench/result/wrong-column.ts';
import type { TableRow } from '../../../../../src/ui/workbench/api/answers.ts';

const column = (name: string) => ({
  ...{ name, header: name },
  ...{ isName: name === 'company', isCountry: name === 'land' },
});
/** In the order of the job: identifiers, name, country. */
const fixes = { columns: ['domain', 'abn', 'company', 'land'].map(column), corrections: [] };

test.each([
  ['a blank domain beside a filled country', 'blank', { land: 'AU' }, 'domain'],
  ['a country that is not covered', 'unsupported_country', { domain: 'a.com', land: 'DE' }, 'land'],
  ['a wrong ABN where the domain is unknown', 'abn_checksum', { domain: 'n/a', abn: '1' }, 'abn'],
  ['a name with two companies', 'name_ambiguous', { domain: 'x y', company: 'A' }, 'company'],
])('the reason of %s stands beside it', (_, reason, cells: Record<string, string>, wrong) => {
  const row = { status: 'invalid', reason } as TableRow;
  expect(wrongColumn({ fixes }, row, (name) => cells[name] ?? '')?.name).toBe(wrong);
});

test('a miss stands beside the value that missed, or else beside the name', () => {
  const missed = { status: 'not_found', reason: 'not_found' } as TableRow;
  const wrong = (row: TableRow) => wrongColumn({ fixes }, row, () => 'A Pty Ltd')?.name;
  expect(wrong({ ...missed, about: { name: 'abn' } })).toBe('abn');
  expect(wrong(missed)).toBe('company');
});
