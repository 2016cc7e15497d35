import { z } from 'zod';
import { defaultRate, highestRate, lowestRate } from '../../runtime/terms/rate-bounds.ts';
import { duration, group, wholeNumber } from './fields.ts';

const expectedRate = `requests a second, from ${lowestRate} to ${highestRate}, or none`;

export const Limits = group({
  rate: z
    .union(
      [
        z.number(expectedRate).min(lowestRate, expectedRate).max(highestRate, expectedRate),
        z.literal('none'),
      ],
      expectedRate,
    )
    .default(defaultRate)
    .describe(
      'Most requests a second, every attempt counted. `none` lifts the limit. The service may lower it: throttles and `RateLimit` headers are heeded.',
    ),
  concurrency: wholeNumber({ min: 1, max: 256 }).default(8).describe('Calls in flight at a time.'),
  timeout: duration({ min: '100ms', max: '1h' })
    .default('30s')
    .describe('Time for the whole of one attempt.'),
  attempts: wholeNumber({ min: 1, max: 20 })
    .default(4)
    .describe('How often one call is tried before its rows count as failed.'),
  maxWait: duration({ min: '0s', max: '7d' })
    .default('15m')
    .describe(
      'Longest wait that the service may ask for before the run stops instead. A run that shares waits as long for Redis.',
    ),
});
