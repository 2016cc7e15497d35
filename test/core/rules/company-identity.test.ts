import { expect, test } from 'vitest';
import { canonicalCall } from '../../../src/core/contract/call.ts';
import { readNames } from '../../../src/core/contract/company-names.ts';
import { aliasCalls, readIdentity } from '../../../src/core/rules/company-identity.ts';

function aliases(answer: unknown): string[] {
  return aliasCalls(readIdentity('c_1', readNames(answer)), 'AU').map(canonicalCall);
}

test('an answer serves whoever would ask for the company by another of its own names', () => {
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

test("a shop's answer does not stand for the domain that it is part of", () => {
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
