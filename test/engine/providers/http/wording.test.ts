import { describe, expect, test } from 'vitest';
import {
  saysNothingFound,
  speaksOfQuota,
  spellOut,
} from '../../../../src/engine/providers/http/wording.ts';

describe('nothing was found', () => {
  test.each([
    'Company profile not found',
    'COMPANY_NOT_FOUND',
    'companyNotFound',
    'no matching company',
    'No company profile found for this domain',
    'The company could not be found',
    "We couldn't find that company",
    'Company cannot be found',
    'no_match',
  ])('%j says so', (text) => expect(saysNothingFound(spellOut(text))).toBe(true));

  test.each([
    'API key not found',
    'Route not found',
    'Invalid country code',
    'foundation is not supported',
    '',
  ])('%j does not', (text) => expect(saysNothingFound(spellOut(text))).toBe(false));
});

test.each([
  ['You have no credit left', true],
  ['Monthly quota exceeded', true],
  ['NO_CREDITS', true],
  ['insufficient_quota', true],
  ['Not enough API credits for this call', true],
  ['You have 0 credits remaining.', true],
  ['Your credit balance is too low', true],
  ['You have used all of your monthly credits', true],
  ['Quota limit reached', true],
  ['accredited companies only', false],
  ['Sunrise Credit Union is not in this country', false],
  ['No Credit Union of this name', false],
  ['Sunrise Credit Union: no match left', false],
  ['Credit Corp Group Limited has been dissolved', false],
  ['Quota Partners Pty Ltd is not a domain', false],
])('%j speaks of quota: %j', (text, speaks) => expect(speaksOfQuota(spellOut(text))).toBe(speaks));
