import { z } from 'zod';
import { isTimezone, timezoneNames } from '../../runtime/budget/calendar.ts';
import { toMicros } from '../../runtime/budget/money.ts';
import { choice, group, text, wholeNumber } from './fields.ts';

const requests = () => wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional();

export const Budget = group({
  perStart: requests().describe(
    'The most requests that one start may be charged for. `--max-calls` comes first.',
  ),
  perDay: requests().describe(
    'The most that a day may be charged for, with this service and key, over all jobs, lookups and processes on the ledger.',
  ),
  perMonth: requests().describe('The same for a month of the calendar.'),
  timezone: text('a time zone')
    .refine(isTimezone, {
      error: 'a time zone such as UTC or Australia/Sydney',
      params: { choices: timezoneNames() },
    })
    .default('UTC')
    .describe('Where days and months begin, such as `Australia/Sydney`.'),
});

const expectedPrice = 'a price from 0 to 1000 with at most six decimals, such as 0.12';

const amount = () =>
  z
    .number(expectedPrice)
    .min(0, expectedPrice)
    .max(1000, expectedPrice)
    .refine((price) => toMicros(price) !== undefined, expectedPrice);

export const Price = group({
  company: amount().describe('For a company lookup.'),
  people: amount().default(0).describe('For a page of people.'),
  currency: z
    .string('a currency code')
    .regex(/^[A-Z]{3}$/, 'a currency code of three capital letters, such as AUD')
    .describe('Code of the currency, such as `AUD`.'),
  charged: choice(['hits', 'answers'])
    .default('answers')
    .describe(
      'Whether only `hits` are charged, or all `answers`, misses too. What brought no answer counts as charged in either case, since nobody can tell.',
    ),
});
