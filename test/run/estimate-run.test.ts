import { expect, test } from 'vitest';
import type { CallsAhead } from '../../src/engine/runs/calls-ahead.ts';
import type { ResolvedService } from '../../src/job/resolved-job.ts';
import { estimateRun, type SpentInPeriods } from '../../src/run/estimate-run.ts';
import { leastText } from '../../src/ui/words/expected.ts';
import { companyDataService, testJob } from '../support/test-job.ts';

const AUD = { currency: 'AUD', charged: 'answers' } as const;

function service(name: string, changes: Partial<ResolvedService>): ResolvedService {
  return { ...companyDataService, name, url: `http://${name}.test`, ...changes };
}

const ours = service('ours', { price: { ...AUD, companyMicros: 0 } });
const main = service('main', { price: { ...AUD, companyMicros: 100_000, peopleMicros: 50_000 } });

/** 100 rows, of which `ours` finds half: a tenth of the calls at most is repeated. */
const ahead: CallsAhead = {
  companies: 100,
  fallbacks: 100,
  pages: 0,
  leastPages: 0,
  leastPagesPerFound: 0,
  expected: { companies: 150, pages: 0 },
  hitRate: 0.6,
  lookups: [
    { companies: 100, fallbacks: 0, expected: 100, hitRate: 0.5 },
    { companies: 0, fallbacks: 100, expected: 50, hitRate: 0.8 },
  ],
};

type Spent = SpentInPeriods['services'][number];

function estimate(second: ResolvedService, spent?: Spent, budget = {}, calls = ahead) {
  const job = {
    services: [ours, second],
    budget: { ...testJob().budget, ...budget },
  } satisfies Parameters<typeof estimateRun>[0];
  const none = { requests: 0, freeAtMs: 0 };
  return estimateRun(job, calls, spent && { day: none, month: none, services: [undefined, spent] });
}

test('a price is expected from what earlier runs found at each service', () => {
  const { price, services } = estimate(main);
  expect(price).toMatchObject({ currency: 'AUD', expected: 5, most: 11 });
  expect(services).toMatchObject([
    { name: 'ours', expected: 100, most: 110, price: { most: 0 } },
    { name: 'main', expected: 50, most: 110, price: { expected: 5, most: 11 } },
  ]);
  const hits = { ...main, price: { ...main.price, charged: 'hits' as const, currency: 'AUD' } };
  expect(estimate(hits).price?.expected).toBe(4);
});

test.each([
  ['answers', 'no history yet; at least 140 calls, AUD 12.00, and 3 more for each company found'],
  ['hits', 'no history yet; at least 140 calls, and 3 more for each company found'],
] as const)('before a first run, calls charged for %s are expected as %s', (charged, text) => {
  const priced = {
    ...main,
    price: { ...AUD, companyMicros: 100_000, peopleMicros: 50_000, charged },
  };
  const job = { services: [priced], budget: testJob().budget } as const;
  const lookups = [{ companies: 100, fallbacks: 100 }];
  const people = { pages: 900, leastPages: 40, leastPagesPerFound: 3 };
  const unknown = { ...ahead, ...people, expected: {}, hitRate: undefined, lookups };
  const estimated = estimateRun(job, unknown);
  expect(estimated.calls.expected).toBeNull();
  expect(leastText(estimated)).toBe(text);
});

test('what a run may cost is capped by the budgets of every service, and what they have used', () => {
  const limited = (budget: NonNullable<ResolvedService['budget']>) => ({ ...main, budget });
  const month = { requests: 70, micros: 7_000_000, charged: 7_000_000 };
  const day = { requests: 20, micros: 2_000_000, charged: 2_000_000 };
  const spent = { day, month };
  const most = (budget: NonNullable<ResolvedService['budget']>) =>
    estimate(limited(budget), spent).calls.most;
  expect(most({ perStart: { requests: 30 } })).toBe(140);
  expect(most({ perDay: { requests: 30 } })).toBe(120);
  expect(most({ perMonth: { micros: 8_000_000 } })).toBe(120);
  expect(most({ perMonth: { micros: 6_000_000 } })).toBe(110);
  const { services, price } = estimate(limited({ perDay: { requests: 30 } }), spent);
  expect(services?.[1]).toMatchObject({ most: 10, expected: 10, price: { most: 1 } });
  expect(price).toMatchObject({ expected: 1, most: 1 });
  expect(estimate(main, spent, { perStart: 115 }).calls.most).toBe(115);
});

test('lookups and people of one service share its budget', () => {
  const withPeople = { ...ahead, pages: 40 };
  const budget = { perStart: { requests: 30 } };
  expect(estimate({ ...main, budget }, undefined, {}, withPeople).calls.most).toBe(140);
});

test('what companies cost stays known where only people have no price', () => {
  const { peopleMicros: _, ...price } = main.price ?? { ...AUD, peopleMicros: 0 };
  const { priceWithoutPeople: known, ...others } = estimateRun(
    { services: [{ ...main, price }], budget: testJob().budget },
    { ...ahead, pages: 40, expected: {}, lookups: [{ companies: 100, fallbacks: 100 }] },
  );
  // 200 company calls and 40 pages, a tenth of each repeated.
  expect(known).toEqual({ currency: 'AUD', most: 22, pages: 44 });
  expect(others.price).toBeNull();
  expect(estimate(main).priceWithoutPeople).toBeNull();
});

test('prices in two currencies have no sum', () => {
  const second = {
    ...main,
    price: { currency: 'USD', companyMicros: 1, charged: 'hits' } as const,
  };
  const { price, services } = estimate(second);
  expect(price).toBeNull();
  expect(services?.map((one) => one.price?.currency)).toEqual(['AUD', 'USD']);
});

test('each service may search all people', () => {
  const cheap = { companyMicros: 100_000, peopleMicros: 10_000, currency: 'USD' };
  const second = { ...main, price: { ...cheap, charged: 'answers' as const } };
  const job = {
    services: [main, second],
    budget: testJob().budget,
  } satisfies Parameters<typeof estimateRun>[0];
  expect(estimateRun(job, { ...ahead, pages: 40 }).services).toMatchObject([
    { most: 154, price: { currency: 'AUD', most: 13.2 } },
    { most: 154, price: { currency: 'USD', most: 11.44 } },
  ]);
});
