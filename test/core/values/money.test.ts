import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatMoney,
  formatSpent,
  priceText,
  readAmount,
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
      const spent = { currency: 'AUD', micros, requests, charged: micros };
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
