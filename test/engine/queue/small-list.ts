import fc from 'fast-check';
import { testJob } from '../../support/test-job.ts';
import { abns, domains, seniorities, slugs } from './small-world.ts';

const cell = fc.oneof(
  fc.constantFrom(...domains),
  fc.constantFrom(...domains).map((domain) => `https://shop.${domain}/`),
  fc.constantFrom(...abns),
  fc.constantFrom(...slugs).map((slug) => `https://linkedin.com/company/${slug}`),
  fc.constantFrom('', 'no domain'),
);
/** Each may hold any kind of name. */
export const columns = ['one', 'two', 'three'];
export const list = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), {
  minLength: 1,
  maxLength: 30,
});

/** What a job over such a list may ask for. */
export const smallJob = {
  concurrency: fc.integer({ min: 1, max: 5 }),
  searched: fc.subarray(seniorities),
  pageSize: fc.integer({ min: 1, max: 5 }),
  maxPerCompany: fc.integer({ min: 1, max: 12 }),
};

type SmallJob = {
  [Name in keyof typeof smallJob]: (typeof smallJob)[Name] extends fc.Arbitrary<infer Value>
    ? Value
    : never;
};

export function jobWith(given: SmallJob) {
  const { concurrency, searched, pageSize, maxPerCompany } = given;
  const searches = searched.map((seniority) => ({
    seniority,
    department: undefined,
    position: undefined,
  }));
  return testJob({
    identify: columns.map((column) => ({ column, as: 'auto' })),
    limits: { ...testJob().limits, concurrency },
    people: searches.length > 0 ? { searches, pageSize, maxPerCompany } : undefined,
  });
}
