import { describe, expect, test } from 'vitest';
import {
  saysNothingFound,
  speaksOfQuota,
  speaksOfThrottling,
  spellOut,
} from '../../../src/client/judge/wording.ts';

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
  ['accredited companies only', false],
  ['Invalid key', false],
])('%j speaks of quota: %j', (text, speaks) => expect(speaksOfQuota(spellOut(text))).toBe(speaks));

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
