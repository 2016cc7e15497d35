import { describe, expect, test } from 'vitest';
import {
  saysNothingFound,
  speaksOfAddress,
  speaksOfQuota,
  speaksOfRecord,
  speaksOfThrottling,
  spellOut,
} from '../../../../src/engine/client/judge/wording.ts';

describe('nothing was found', () => {
  test.each([
    'Company profile not found',
    'COMPANY_NOT_FOUND',
    'companyNotFound',
    'NotFound',
    'No match',
    'no matching company',
    'No company profile found for this domain',
    'No results',
    'The company could not be found',
    "We couldn't find that company",
    'Company cannot be found',
    'no_match',
  ])('%j says so', (text) => expect(saysNothingFound(spellOut(text))).toBe(true));

  test.each([
    'API key not found',
    'Route not found',
    'Token not found',
    'Invalid country code',
    'foundation is not supported',
    'Internal error',
    '',
  ])('%j does not', (text) => expect(saysNothingFound(spellOut(text))).toBe(false));
});

test.each([
  ['Insufficient credits', true],
  ['You have no credit left', true],
  ['Monthly quota exceeded', true],
  ['QUOTA_EXCEEDED', true],
  ['NO_CREDITS', true],
  ['insufficient_quota', true],
  ['Not enough API credits for this call', true],
  ['You have 0 credits remaining.', true],
  ['Your credit balance is too low', true],
  ['You have used all of your monthly credits', true],
  ['Quota limit reached', true],
  ['out of credits', true],
  ['accredited companies only', false],
  ['Sunrise Credit Union is not in this country', false],
  ['No Credit Union of this name', false],
  ['Sunrise Credit Union: no match left', false],
  ['Credit Corp Group Limited has been dissolved', false],
  ['Quota Partners Pty Ltd is not a domain', false],
  ['Invalid key', false],
])('%j speaks of quota: %j', (text, speaks) => expect(speaksOfQuota(spellOut(text))).toBe(speaks));

test.each([
  ['Company not found', true],
  ['No record with this ABN', true],
  ['no match', true],
  ['Not Found', false],
  ['default backend - 404', false],
])('%j speaks of a record: %j', (text, speaks) =>
  expect(speaksOfRecord(spellOut(text))).toBe(speaks),
);

test.each([
  ['Cannot GET /company', true],
  ['Route POST:/people/search not found', true],
  ['no Route matched with those values', true],
  ['Unknown endpoint', true],
  ['Company not found', false],
  ['We could not get this company', false],
])('%j speaks of the address: %j', (text, speaks) =>
  expect(speaksOfAddress(spellOut(text))).toBe(speaks),
);

test.each([
  ['RATE_LIMITED', true],
  ['rateLimitExceeded', true],
  ['rate-limit', true],
  ['Too many requests', true],
  ['429', true],
  ['request throttled', true],
  ['accurate limits', false],
  ['Internal error', false],
])('%j speaks of throttling: %j', (text, speaks) =>
  expect(speaksOfThrottling(spellOut(text))).toBe(speaks),
);
