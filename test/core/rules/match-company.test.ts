import { describe, expect, test } from 'vitest';
import { callText } from '../../../src/core/contract/call.ts';
import type { IdentifierKind } from '../../../src/core/contract/identifier-kinds.ts';
import {
  aliasCalls,
  matchCompany,
  parseIdentifiers,
} from '../../../src/core/rules/match-company.ts';
import { companyKeys, keyOf } from '../../../src/core/rules/suppression.ts';
import { readIdentifiers } from '../../../src/engine/providers/read-identifiers.ts';

const acme = parseIdentifiers(
  'c_1',
  readIdentifiers({
    fqdn: 'acme.com.au',
    website: 'https://www.acme-group.com/en',
    network: 'https://www.linkedin.com/company/acme',
    social_media: { network: 'linkedin.com/company/acme-careers' },
    industry_codes: { abn: '51 824 753 556', acn: '004 085 616' },
  }),
);
const shop = parseIdentifiers('c_2', readIdentifiers({ fqdn: 'shop.acme.com.au' }));
const silent = parseIdentifiers(
  'c_3',
  readIdentifiers({ fqdn: null, network: '', industry_codes: 'none' }),
);

describe('an answer is compared with the identifier of the lookup, and suppressed by it if it matches', () => {
  test.each<[IdentifierKind, string, typeof acme, string]>([
    ['id', 'c_1', acme, 'exact'],
    ['abn', '51824753556', acme, 'exact'],
    ['abn', '53004085616', acme, 'alias'],
    ['abn', '72900000000', acme, 'mismatch'],
    ['abn', '72900000000', silent, 'unverified'],
    ['fqdn', 'acme.com.au', acme, 'exact'],
    ['fqdn', 'acme-group.com', acme, 'alias'],
    ['fqdn', 'shop.acme.com.au', shop, 'exact'],
    // The domain was asked for, and one of its shops answered.
    ['fqdn', 'acme.com.au', shop, 'alias'],
    ['fqdn', 'acme.com.au', silent, 'unverified'],
    ['website', 'https://acme-group.com/', acme, 'exact'],
    ['website', 'https://acme.com.au/', acme, 'alias'],
    ['ln_slug', 'acme', acme, 'exact'],
    ['ln_slug', 'acme-careers', acme, 'alias'],
    ['ln_url', 'https://www.linkedin.com/company/1035', acme, 'unverified'],
    ['ln_url', 'https://www.linkedin.com/school/acme', acme, 'exact'],
  ])('%s %s', (kind, value, company, match) => {
    expect(matchCompany({ kind, value }, company)).toBe(match);
    const isSuppressed = companyKeys(company).includes(keyOf({ kind, value }));
    expect(isSuppressed).toBe(match === 'exact' || match === 'alias');
  });
});

function aliases(answer: unknown): string[] {
  const identifier = { kind: 'website', value: 'https://acme.com.au' } as const;
  const call = { operation: 'company', identifier, country: 'AU' } as const;
  return aliasCalls(parseIdentifiers('c_1', readIdentifiers(answer)), call).map(callText);
}

test('an answer also serves lookups by the other identifiers of the company', () => {
  const answer = {
    fqdn: 'www.Acme.com.au',
    linkedin: 'https://au.linkedin.com/company/Acme/about',
    industry_codes: { abn: 51_824_753_556 },
  };
  expect(aliases(answer)).toEqual([
    'company?country=AU&id=c_1',
    'company?abn=51824753556&country=AU',
    'company?country=AU&fqdn=acme.com.au',
    'company?country=AU&ln_slug=acme',
  ]);
});

test('the answer for a shop is not used for the domain above it', () => {
  expect(aliases({ fqdn: 'shop.acme.com.au' })).toContain(
    'company?country=AU&fqdn=shop.acme.com.au',
  );
  expect(aliases({ fqdn: 'shop.acme.com.au' })).not.toContain(
    'company?country=AU&fqdn=acme.com.au',
  );
});

test('neither a website nor a social page alone is a name that the company answers to', () => {
  const answer = { website: 'https://acme.com.au', social_media: { network: 'company/acme' } };
  expect(aliases(answer)).toEqual(['company?country=AU&id=c_1']);
});
