import { expect, test } from 'vitest';
import { changeText, serviceRows } from '../../src/run/run-words.ts';

const aud = (amount: number) => [{ currency: 'AUD', amount }];

test.each([
  [2, 0.24, '4: 2 found, 2 not found; AUD 0.48, AUD 0.24 for misses'],
  [0, 0.48, '4: 4 not found; AUD 0.48, all for misses'],
  [4, 0, '4: 4 found; AUD 0.48'],
])('with %i of 4 companies found, what was paid for misses is said once', (hits, missed, said) => {
  const missMoney = missed === 0 ? [] : aud(missed);
  const used = { made: 4, hits, misses: 4 - hits, failed: 0, reused: 0 };
  const services = { main: { ...used, money: aud(0.48), missMoney } };
  expect(serviceRows(services)).toEqual([['main', said]]);
  // Some of the calls asked for people.
  const withPeople = said.replace(/(\d) found/, '$1 with an answer');
  expect(serviceRows(services, true)).toEqual([['main', withPeople]]);
});

test('a row without a company changes as a row', () => {
  expect(changeText('company_changed', 1)).toBe('1 row changed');
});
