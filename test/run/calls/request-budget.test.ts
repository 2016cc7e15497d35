import { expect, test } from 'vitest';
import { affordableAttempts, createStartBudget } from '../../../src/run/calls/charges.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { asking } from '../../support/run-parts.ts';
import { openSmallService } from '../../support/small-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { jobOver, testJob } from '../../support/test-job.ts';

test('a start never reserves more than its money pays for', () => {
  const price = { currency: 'AUD', companyMicros: 120_000, peopleMicros: 500_000 };
  const services = [{ price: { ...price, charged: 'answers' as const } }];
  const people = { searches: [], pageSize: 10, maxPerCompany: 10 };
  const budget = createStartBudget({ budget: { spendMicros: 1_740_000 }, services, people });
  // As dear as three pages of people, and a little.
  expect(budget.reserve(9)).toBe(3);
  budget.charge('company', 2);
  budget.charge('people', 1);
  expect(budget.money).toEqual({ currency: 'AUD', amount: 0.74 });
  expect(budget.reserve(9)).toBe(2);
  budget.charge('people', 2);
  expect(budget.limitOf(0)).toBe('AUD 1.74');
  expect({ ...budget }).toMatchObject({ left: 0, money: { amount: 1.74 } });
});

test('a call is tried as often as the smallest budget can pay for', () => {
  expect(
    [{}, { perStart: 3 }, { perStart: 9, perDay: 2 }, { perMonth: 0 }].map((budget) =>
      affordableAttempts(4, budget),
    ),
  ).toEqual([4, 3, 2, 1]);
});

test('rows whose answers are always cut short do not hold up a job with a small budget', async () => {
  using folder = temporaryFolder();
  const sites = ['first', 'cut1', 'cut2', 'cut3', 'cut4', 'last'].map((name) => `${name}.com.au`);
  await using service = await openSmallService((asked) =>
    Promise.resolve(asked.includes('=cut') ? { hangUp: true } : { body: '{"id":"c_1"}' }),
  );
  const job = jobOver(folder.path, sites, {
    budget: { ...testJob().budget, perStart: 4 },
    limits: { ...testJob().limits, concurrency: 4, attempts: 2 },
  });
  const requests: number[] = [];
  for (let starts = 0; starts < 6; starts += 1) {
    const before = service.seen.length;
    const ended = await runJob(job, asking(service.url, job)).catch(({ code }) => code as string);
    requests.push(service.seen.length - before);
    // A start that gets no answer at all takes the service for down.
    if (typeof ended === 'string') expect(['BUDGET_SPENT', 'SERVICE_DOWN']).toContain(ended);
    else expect(ended.counts.rows).toMatchObject({ matched: 2, failed: 4, open: 0 });
    if (typeof ended !== 'string') break;
  }
  expect(requests.length).toBeLessThan(6);
  expect(Math.max(...requests)).toBe(4);
});
