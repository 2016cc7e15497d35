import { expect, test } from 'vitest';
import { Refresh, refreshedReuse } from '../../src/job/job-flags.ts';
import { day } from '../support/test-job.ts';

const others = { spread: 0.2, staleOnFailureMs: 180 * day };
const reuse = {
  ...{ companiesMs: 30 * day, missesMs: 7 * day, peopleMs: Number.POSITIVE_INFINITY },
  ...others,
};
const exact = { ...others, spread: 0 };

test.each([
  ['misses', { ...reuse, missesMs: 0, refusedMs: 7 * day }],
  ['failed', { ...reuse, refusedMs: 0 }],
  ['all', { ...reuse, companiesMs: 0, missesMs: 0, peopleMs: 0 }],
  ['older-than 10d', { companiesMs: 10 * day, missesMs: 7 * day, peopleMs: 10 * day, ...exact }],
  ['older-than=1w', { companiesMs: 7 * day, missesMs: 7 * day, peopleMs: 7 * day, ...exact }],
])('%s asks again what the terms of the job would reuse', (given, terms) => {
  expect(refreshedReuse(reuse, Refresh.parse(given))).toEqual(terms);
});
