import { expect, test } from 'vitest';
import { canonicalCall } from '../../../src/core/contract/call.ts';
import { aliasCalls, readIdentity } from '../../../src/core/rules/company-identity.ts';
import { readIdentifiers } from '../../../src/engine/providers/company-data/identifiers.ts';

function aliases(answer: unknown): string[] {
  const identifier = { kind: 'website', value: 'https://acme.com.au' } as const;
  const call = { operation: 'company', identifier, country: 'AU' } as const;
  return aliasCalls(readIdentity('c_1', readIdentifiers(answer)), call).map(canonicalCall);
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
