import { expect, test } from 'vitest';
import type { Answer } from '../../../src/engine/queue/run-queue.ts';
import type { ResolvedService } from '../../../src/job/resolved-job.ts';
import { createStartBudget, payableAttempts } from '../../../src/run/calls/start-budget.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { asking } from '../../support/run-parts.ts';
import { openSmallService } from '../../support/small-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { companyDataService, jobOver, testJob } from '../../support/test-job.ts';

test('a start never reserves more than its money pays for', () => {
  const price = { currency: 'AUD', companyMicros: 120_000, peopleMicros: 500_000 };
  const services = [{ name: '', price: { ...price, charged: 'answers' as const } }];
  const people = { searches: [], pageSize: 10, maxPerCompany: 10 };
  const budget = createStartBudget({
    budget: { ...noBudget, spendMicros: 1_740_000 },
    services,
    people,
  });
  // As dear as three pages of people, and a little.
  expect(budget.reserve(9, 0)).toBe(3);
  for (let at = 0; at < 2; at += 1) budget.at(0).assign('company');
  budget.at(0).assign('people');
  // Requests in flight are not charged yet.
  expect(budget.money).toEqual({ currency: 'AUD', amount: 0 });
  for (const kind of ['hit', 'failed'] as const) {
    budget.at(0).noteAnswer({ operationToCount: 'company', result: { kind } } as Answer);
  }
  expect(budget.money).toEqual({ currency: 'AUD', amount: 0.12 });
  expect(budget.reserve(9, 0)).toBe(2);
  for (let at = 0; at < 2; at += 1) budget.at(0).assign('people');
  expect(budget.limitOf(0)).toBe('AUD 1.74 for this start');
  expect({ ...budget }).toMatchObject({ left: 0, money: { amount: 0.12 } });
});

const noBudget = { ...testJob().budget, perStart: undefined };

test('a call is tried as often as the smallest budget pays for', () => {
  const { limits } = testJob();
  const price = { currency: 'AUD', companyMicros: 120_000, charged: 'answers' } as const;
  const attempts = (budget: object, own: ResolvedService['budget'] = {}) =>
    payableAttempts(
      { ...testJob({ limits: { ...limits, attempts: 4 } }), budget: { ...noBudget, ...budget } },
      { ...companyDataService, url: 'http://x.test', price, budget: own },
    );
  expect(
    [
      {},
      { perStart: 3 },
      { perStart: 9, perDay: 2 },
      { perMonth: 0 },
      { spendMicros: 250_000 },
    ].map((budget) => attempts(budget)),
  ).toEqual([4, 3, 2, 1, 2]);
  expect(attempts({ perStart: 3 }, { perDay: { requests: 2 } })).toBe(2);
  expect(attempts({}, { perMonth: { micros: 365_000 } })).toBe(3);
});

const AUD = { currency: 'AUD', charged: 'answers' as const };
const agreed = { expected: null, companies: 3, fallbacks: 0, certain: 0, perFound: 0 };

test('a start stops at the price shown for each service', () => {
  const services = [0, 500_000].map((companyMicros) => {
    return { name: 'main', price: { ...AUD, companyMicros } };
  });
  const budget = createStartBudget({ ...testJob(), services });
  const shown = services.map(({ name, price: { currency, companyMicros } }) => {
    const price = { currency, expected: null, most: (4 * companyMicros) / 1_000_000 };
    return { ...agreed, name, most: 4, price };
  });
  const calls = { ...agreed, most: 12, people: 0, repeats: 0 };
  budget.lower({ calls, price: null, services: shown });
  expect(budget.reserve(9, 1)).toBe(4);
  expect(budget.limitOf(1)).toBe('4 calls for main shown before this start');
});

test('the limit that the user set is named, although whole calls cost less', () => {
  const price = { ...AUD, companyMicros: 120_000 };
  const calls = { ...agreed, most: 45, people: 0, repeats: 0 };
  const shown = { calls, price: { currency: 'AUD', expected: null, most: 5.4, certain: 0 } };
  const limitOf = (given: object) => {
    const budget = createStartBudget({
      ...testJob({ budget: { ...noBudget, ...given } }),
      services: [{ name: '', price }],
    });
    budget.lower(shown);
    expect(budget.reserve(99, 0)).toBe(45);
    return budget.limitOf(0);
  };
  expect(limitOf({ spendMicros: 5_500_000 })).toBe('AUD 5.50 for this start');
  expect(limitOf({ perStart: 45 })).toBe('45 calls for this start');
  expect(limitOf({ spendMicros: 9_000_000 })).toBe('AUD 5.40 shown before this start');
  expect(limitOf({})).toBe('AUD 5.40 shown before this start');
});

test('a price below that of one lookup does not stop a search of people', () => {
  const price = { ...AUD, companyMicros: 1_000_000, peopleMicros: 50_000 };
  const people = { searches: [], pageSize: 10, maxPerCompany: 10 };
  const budget = createStartBudget({ ...testJob({ people }), services: [{ name: '', price }] });
  const calls = { ...agreed, companies: 0, most: 7, people: 6, repeats: 1 };
  budget.lower({ calls, price: { currency: 'AUD', expected: null, most: 0.35, certain: 0 } });
  expect(budget.reserve(9, 0)).toBe(7);
});

test.each([
  { whose: 'of the job', ofJob: { perStart: 4 }, own: {}, attempts: 2, cuts: 4, most: 4 },
  {
    whose: 'of its service',
    ofJob: {},
    own: { perStart: { requests: 2 } },
    attempts: 9,
    cuts: 1,
    most: 2,
  },
])(
  'rows whose answers are always cut short do not hold up a job with a small budget $whose',
  async ({ ofJob, own, attempts, cuts, most }) => {
    using folder = temporaryFolder();
    const cut = Array.from({ length: cuts }, (_, index) => `cut${index}`);
    const sites = ['first', ...cut, 'last'].map((name) => `${name}.com.au`);
    await using service = await openSmallService((asked) =>
      Promise.resolve(asked.includes('=cut') ? { hangUp: true } : { body: '{"id":"c_1"}' }),
    );
    const job = jobOver(folder.path, sites, {
      services: [{ ...companyDataService, url: service.url, budget: own }],
      budget: { ...noBudget, ...ofJob },
      limits: { ...testJob().limits, concurrency: 4, attempts },
    });
    const requests: number[] = [];
    for (let starts = 0; starts < 6; starts += 1) {
      const before = service.seen.length;
      const ended = await runJob(job, asking(service.url, job)).catch(({ code }) => code as string);
      requests.push(service.seen.length - before);
      // A start that gets no answer at all takes the service for down.
      if (typeof ended === 'string') expect(['BUDGET_SPENT', 'SERVICE_DOWN']).toContain(ended);
      else expect(ended.counts.rows).toMatchObject({ matched: 2, failed: cuts, open: 0 });
      if (typeof ended !== 'string') break;
    }
    expect(requests.length).toBeLessThan(6);
    expect(Math.max(...requests)).toBe(most);
  },
);
