import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatMoney,
  formatSpent,
  priceTerms,
  priceText,
  readAmount,
  roundMicros,
  toMicros,
  totalSpend,
} from '../../../src/core/values/money.ts';

test.each([
  ['AUD', 14_400_000, 'AUD 14.40'],
  ['AUD', 1_234_567_890_000, 'AUD 1,234,567.89'],
  ['AUD', 0, 'AUD 0.00'],
  ['AUD', 500, 'AUD 0.0005'],
  ['JPY', 3_000_000, 'JPY 3'],
  ['JPY', 3_500_000, 'JPY 3.5'],
  ['KWD', 1_500_000, 'KWD 1.500'],
  ['AUD', -120_000, 'AUD -0.12'],
])('%s with %d millionths is written %j', (currency, micros, text) => {
  expect(formatMoney(currency, micros / 1_000_000)).toBe(text);
});

test('a lookup that costs nothing is free, which is not a price that is unknown', () => {
  expect(priceText({ currency: 'AUD', companyMicros: 0, charged: 'hits' })).toBe('free');
  expect(priceText({ currency: 'AUD', charged: 'hits' })).toBe('one lookup, price not set');
});

test.each([
  [
    'answers',
    true,
    'AUD 0.12 a company, also if none is found; AUD 0.05 a page of people, also if it is empty',
  ],
  [
    'hits',
    true,
    'AUD 0.12 a company, only if it is found; AUD 0.05 a page of people, only if it is not empty',
  ],
  ['answers', false, 'AUD 0.12 a company, also if none is found'],
] as const)('a price of %s says whether a miss is charged', (charged, hasPeople, text) => {
  const price = { currency: 'AUD', companyMicros: 120_000, peopleMicros: 50_000, charged };
  expect(priceTerms(price, hasPeople)).toBe(text);
});

test.each([
  ['AUD', 2_998_763, [120_000, 50_000], 3_000_000],
  ['AUD', 2_998_763, [5_000], 2_999_000],
  ['JPY', 2_500_001, [1_000_000], 3_000_000],
  ['AUD', 0, [], 0],
])('a guess in %s of %d at prices of %j is %d', (currency, micros, prices, rounded) => {
  expect(roundMicros(micros, currency, prices)).toBe(rounded);
});

test('calls of a running run are in flight, those of a stopped one possibly charged', () => {
  const one = [{ currency: 'AUD', amount: 0.96 }];
  const spent = { money: one, possibleMoney: one, unpriced: 0 };
  expect(formatSpent({ ...spent, state: 'running' })).toBe('AUD 0.96, AUD 0.96 in flight');
  expect(formatSpent({ ...spent, state: 'killed' })).toBe('AUD 0.96, possibly AUD 0.96 more');
});

test('amounts of several currencies are listed', () => {
  const both = [
    { currency: 'AUD', amount: 0.12 },
    { currency: 'USD', amount: 0.02 },
  ];
  expect(formatSpent({ money: both, possibleMoney: [], unpriced: 0 })).toBe('AUD 0.12 + USD 0.02');
  expect(formatSpent({ money: both.slice(0, 1), possibleMoney: both.slice(1), unpriced: 9 })).toBe(
    'AUD 0.12, possibly USD 0.02 more, and 9 calls, price not set',
  );
  for (const money of [[], [{ currency: 'AUD', amount: 0 }]]) {
    expect(formatSpent({ money, possibleMoney: [], unpriced: 9 })).toBe('9 calls, price not set');
  }
});

test.each([
  ['0,12', 0.12],
  ['0.12', 0.12],
  ['12', 12],
  ['1,234.50', 1234.5],
  ['1,234,567', 1234567],
  // Could mean two amounts.
  ['1,234', undefined],
  ['1.234,5', undefined],
  ['AUD 3', undefined],
  ['-1', undefined],
])('the typed amount %j is %s', (text, amount) => expect(readAmount(text)).toBe(amount));

const anyPriceMicros = fc.integer({ min: 0, max: 1_000_000_000 });

test('a price times any number of requests is exact in text and JSON', () => {
  fc.assert(
    fc.property(anyPriceMicros, fc.integer({ min: 0, max: 100_000 }), (price, requests) => {
      const micros = price * requests;
      const of = { operation: 'company', currency: 'AUD', misses: 0, misspent: 0 } as const;
      const spent = { ...of, micros, requests, charged: micros };
      const [total] = totalSpend([spent]).money;
      const { currency, amount } = JSON.parse(JSON.stringify(total));
      const written = formatMoney(currency, amount).slice(4).replaceAll(',', '');
      const [whole = '', decimals = ''] = written.split('.');
      const read = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'));
      const isExact = read === BigInt(price) * BigInt(requests) && toMicros(amount) === micros;
      return isExact && decimals.length >= 2;
    }),
    { numRuns: 100 },
  );
});
