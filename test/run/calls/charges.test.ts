import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { DossierError } from '../../../src/core/errors.ts';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { asking } from '../../support/run-parts.ts';
import { openSmallService, type SmallService } from '../../support/small-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { companyDataService, jobOver } from '../../support/test-job.ts';

const account = '00112233';
const timezone = 'Australia/Sydney';

/** A job over a real ledger and service, at a time that the test sets. */
function openNights(service: SmallService, domains: readonly string[]) {
  const folder = temporaryFolder();
  return {
    ledgerPath: join(folder.path, 'ledger.db'),
    async run(at: string, budget: { perDay?: number; perMonth?: number }, accounts = [account]) {
      const { perDay, perMonth } = budget;
      const job = jobOver(folder.path, domains, {
        services: [{ ...companyDataService, url: service.url }],
        budget: { perStart: undefined, perDay, perMonth, timezone, confirmAboveMicros: 0 },
      });
      const before = service.seen.length;
      const clock = { ...systemClock, wallMs: () => Date.parse(at) };
      const ended = await runJob(
        job,
        asking(service.url, job, { accounts: [accounts], clock }),
      ).then(
        () => 'done',
        ({ code, message }: DossierError) => `${code}: ${message}`,
      );
      return { ended, requests: service.seen.length - before };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const ten = Array.from({ length: 10 }, (_, index) => `site${index}.com.au`);

test('a day of the time zone has its budget, and so has its month; both begin at midnight there', async () => {
  await using service = await openSmallService();
  using nights = openNights(service, ten);
  // 23:50 of the 29th in Sydney.
  const first = await nights.run('2026-11-29T12:50:00Z', { perDay: 3, perMonth: 5 });
  expect(first).toEqual({
    requests: 3,
    ended: expect.stringContaining(
      'BUDGET_SPENT: the budget of 3 calls a day is spent: all jobs on this ledger made 3 calls at ' +
        `${new URL(service.url).host} (2026-11-29). ` +
        'The budget resets at 2026-11-30 00:00 Australia/Sydney. Calls still needed: at least 7',
    ),
  });
  expect(await nights.run('2026-11-29T12:59:00Z', { perDay: 3 })).toMatchObject({ requests: 0 });
  const second = await nights.run('2026-11-29T13:01:00Z', { perDay: 3, perMonth: 5 });
  expect(second.requests).toBe(2);
  expect(second.ended).toContain(
    `all jobs on this ledger made 5 calls at ${new URL(service.url).host} (2026-11)`,
  );
  expect(second.ended).toContain('resets at 2026-12-01 00:00 Australia/Sydney');
  // It is still November in London, but December in Sydney.
  const third = await nights.run('2026-11-30T13:00:00Z', { perDay: 9, perMonth: 5 });
  expect(third).toEqual({ requests: 5, ended: 'done' });
});

test('further attempts count, and requests that did not reach the service are given back', async () => {
  await using service = await openSmallService((_path, index) =>
    index === 0 ? { hangUp: true } : undefined,
  );
  using nights = openNights(service, ten.slice(0, 2));
  expect(await nights.run('2026-11-29T12:50:00Z', {})).toEqual({ requests: 3, ended: 'done' });
  using ledger = openLedger(nights.ledgerPath);
  const quarterAt = Date.parse('2026-11-29T12:45:00Z');
  expect(ledger.spend.since(0)).toMatchObject([{ quarterAt, requests: 3, free: 0, hits: 2 }]);
});

test('a 404 that a hit proves to be a miss counts as a miss, and its retry is not made', async () => {
  // The longest wait before a retry, so the hit comes first.
  vi.spyOn(Math, 'random').mockReturnValue(1);
  await using service = await openSmallService(async (path) => {
    if (path.includes('site0')) return { status: 404 };
    await wait(50);
    return undefined;
  });
  using nights = openNights(service, ten.slice(0, 2));
  expect(await nights.run('2026-11-29T12:50:00Z', {})).toEqual({ requests: 2, ended: 'done' });
  using ledger = openLedger(nights.ledgerPath);
  expect(ledger.spend.since(0)).toMatchObject([{ requests: 2, hits: 1, misses: 1 }]);
});
