import { expect, test } from 'vitest';
import { parseIdentifiers } from '../../../src/core/rules/match-company.ts';
import {
  collectHashes,
  createSuppression,
  suppressionKeys,
} from '../../../src/core/rules/suppression.ts';
import { readIdentifiers } from '../../../src/engine/providers/read-identifiers.ts';

function suppressing(cells: readonly string[], salt = '') {
  const values = collectHashes(salt);
  for (const cell of cells) for (const key of suppressionKeys(cell, 'auto')) values.addKey(key);
  return createSuppression([values.sorted()]);
}

test.each([
  ['https://www.Acme.com.au/about', { fqdn: 'acme.com.au' }],
  ['acme.com.au', { website: 'https://www.acme.com.au/' }],
  ['acme.com.au', { fqdn: 'shop.acme.com.au' }],
  ['51 824 753 556', { industry_codes: { abn: 51_824_753_556 } }],
  ['ACN 004 085 616', { industry_codes: { acn: '004085616' } }],
  ['au.linkedin.com/company/ACME', { linkedin: 'acme' }],
  ['https://www.linkedin.com/company/acme', { social_media: { network: 'company/acme' } }],
  ['c_1042', {}],
  ['www.acme\u2013group.com.au', { fqdn: 'acme-group.com.au' }],
])('%s suppresses a company with %j', (cell, answer) => {
  const company = parseIdentifiers('c_1042', readIdentifiers(answer));
  for (const salt of ['', 'salt of a ledger']) {
    expect(suppressing(['example.com', cell], salt).hasCompany(company)).toBe(true);
    expect(suppressing(['example.com'], salt).hasCompany(company)).toBe(false);
  }
});

test.each([
  ['p_4410', { person_id: 'p_4410' }],
  ['https://www.linkedin.com/in/Jane-Doe/?trk=x', { person_id: '1', network: 'jane-doe' }],
  ['https://www.linkedin.com/in/jane\u2011doe', { person_id: '1', network: 'jane-doe' }],
])('%s suppresses a person with %j', (cell, person) => {
  expect(suppressing([cell]).hasPerson(person)).toBe(true);
  expect(suppressing([cell]).hasPerson({ person_id: '2', network: 'john' })).toBe(false);
});

test('sets with different salts count together', () => {
  const sets = ['', 'salt'].map((salt) => {
    const values = collectHashes(salt);
    for (const key of suppressionKeys(`${salt || 'acme'}.com`, 'fqdn')) values.addKey(key);
    return values.sorted();
  });
  const both = createSuppression(sets);
  expect(both.has({ kind: 'fqdn', value: 'acme.com' })).toBe(true);
  expect(both.has({ kind: 'website', value: 'https://salt.com/' })).toBe(true);
  expect(both.has({ kind: 'fqdn', value: 'other.com' })).toBe(false);
});
