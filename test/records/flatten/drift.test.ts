import fc from 'fast-check';
import { expect, test } from 'vitest';
import { companyColumns } from '../../../src/records/columns/company-columns.ts';
import { fillCompany } from '../../../src/records/flatten-row.ts';
import { fullCompany } from '../sample-records.ts';
import { arbitraryAnswer } from './arbitrary-answer.ts';
import { driftInFull } from './drift-in-full.ts';

const driftOf = (company: unknown) =>
  fillCompany(company, new Array(companyColumns.length).fill(null), 0);

test('a company as the interface says has no drift, under either name of the network', () => {
  expect(driftOf(fullCompany())).toEqual([]);
  expect(
    driftOf(JSON.parse(JSON.stringify(fullCompany()).replaceAll('network', 'linkedin'))),
  ).toEqual([]);
});

test('nulls and absent fields are no drift', () => {
  expect(driftOf({ id: '1', name: null, nextGen: null })).toEqual([]);
  expect(driftOf(undefined)).toEqual([]);
});

test('other types that the contract lets pass are no drift', () => {
  const social_media = { youtube: { verified: 'yes' }, facebook: { verified: 1 } };
  const reviews_rating = { recommend_to_friend: '84', url: 12 };
  expect(driftOf({ nextGen: { social_media, reviews_rating } })).toEqual([]);
});

test('unknown fields and other types are told with their path', () => {
  const company = {
    id: 12,
    rank: [1],
    employee_count: '12',
    phones: ['1', 2, 3, null],
    emails: 'a@b.example',
    social_media: [],
    org_registers: 'x',
    nextGen: {
      technographics: { Analytics: 'Matomo', Payments: ['Stripe'] },
      web_traffic: { summary: { bounce_rate: 1, new_field: null } },
    },
  };
  expect(driftOf(company)).toEqual([
    { path: 'id', expected: 'text', found: 'integer' },
    { path: 'rank', expected: 'no such field', found: 'list' },
    { path: 'employee_count', expected: 'integer', found: 'text' },
    { path: 'phones[]', expected: 'text', found: 'integer' },
    { path: 'phones[]', expected: 'text', found: 'null' },
    { path: 'emails', expected: 'list', found: 'text' },
    { path: 'social_media', expected: 'object', found: 'list' },
    { path: 'org_registers', expected: 'object', found: 'text' },
    { path: 'nextGen.technographics.*', expected: 'list', found: 'text' },
    { path: 'nextGen.web_traffic.summary.new_field', expected: 'no such field', found: 'null' },
  ]);
});

test('an answer that is no object is one drift', () => {
  expect(driftOf([])).toEqual([{ path: '(company)', expected: 'object', found: 'list' }]);
});

test('no answer is too strange to look at', () => {
  fc.assert(
    fc.property(arbitraryAnswer(), (answer) => {
      for (const { expected, found } of driftOf(answer)) expect(found).not.toBe(expected);
    }),
  );
});

test('what is found while flattening is what a look at every field finds', () => {
  fc.assert(
    fc.property(arbitraryAnswer(), (answer) => {
      expect(driftOf(answer)).toEqual(driftInFull(answer));
    }),
    { numRuns: 500 },
  );
});
