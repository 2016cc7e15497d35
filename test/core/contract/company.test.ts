import { expect, test } from 'vitest';
import { Company } from '../../../src/core/contract/company.ts';
import { nameNetwork } from '../../../src/core/contract/network-name.ts';
import { fullCompany } from '../../support/store-data.ts';

test('a company of all documented fields fits and comes out unchanged', () => {
  expect(Company.parse(fullCompany)).toEqual(fullCompany);
});

test('every field but the id may be null or absent', () => {
  const nulls = Object.fromEntries(Object.keys(Company.shape).map((name) => [name, null]));
  expect(Company.safeParse({ ...nulls, id: 'c' }).success).toBe(true);
  expect(Company.safeParse({ id: 'c' }).success).toBe(true);
  expect(Company.safeParse(nulls).success).toBe(false);
});

test('the network field is read under both names wherever it occurs', () => {
  const answer = {
    id: 'c',
    linkedin: 'acme',
    social_media: { linkedin: 'acme-social', twitter: 't' },
    nextGen: { social_media: { linkedin: { handle: 'h' } }, id: 'c' },
  };
  expect(nameNetwork(answer)).toEqual({
    id: 'c',
    network: 'acme',
    social_media: { network: 'acme-social', twitter: 't' },
    nextGen: { social_media: { network: { handle: 'h' } }, id: 'c' },
  });
});
