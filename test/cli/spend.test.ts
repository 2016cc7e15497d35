import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spend } from '../../src/cli/spend.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import type { SpendCounts, SpendKey } from '../../src/engine/ledger/runs/spend.ts';
import { readSpend, SpendJson } from '../../src/facts/spend.ts';
import { rendered } from '../support/rendered.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const nowMs = Date.parse('2026-11-16T02:00:00Z');

/** A ledger that two jobs and a lookup have paid from, around midnight in Sydney. */
function openPaid() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  using ledger = openLedger(path);
  const spend = {
    account: Buffer.alloc(8),
    runId: 1,
    operation: 'company',
    currency: 'AUD',
  } as const;
  const add = (at: string, change: Partial<SpendKey>, counts: Partial<SpendCounts>) =>
    ledger.spend.add({ ...spend, job: 'nightly', ...change, quarterAt: Date.parse(at) }, counts);
  const charged = (micros: number) => ({ micros, charged: micros });
  const [before, midnight] = ['2026-11-15T12:45:00Z', '2026-11-15T13:00:00Z'];
  add(before, {}, { requests: 3, hits: 2, misses: 1, ...charged(360_000) });
  add(midnight, {}, { requests: 1, hits: 1, ...charged(120_000) });
  add(midnight, { operation: 'people' }, { requests: 2, hits: 2, ...charged(40_000) });
  add(midnight, { job: 'leads', currency: 'USD' }, { requests: 1, ...charged(90_000) });
  add(midnight, { job: 'lookup@1', runId: 0 }, { requests: 1, hits: 1 });
  add(midnight, { job: 'lookup@2', runId: 0 }, { requests: 1, hits: 1 });
  // Sent before midnight, answered after it.
  add('2026-08-30T13:45:00Z', {}, { requests: 1 });
  add('2026-08-30T14:00:00Z', {}, { hits: 1 });
  add('2026-09-01T00:00:00Z', {}, { requests: 100, ...charged(12_000_000) });
  return { path, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const everything = { jobs: [], since: undefined, timezone: undefined, by: ['day'] } as const;

test('days begin in the given time zone, and older days are left out', () => {
  using paid = openPaid();
  const read = (timezone: string) =>
    readSpend({ ...everything, timezone, ledger: paid.path }, nowMs).spend;
  const sydney = read('Australia/Sydney');
  expect(SpendJson.parse(sydney)).toEqual(sydney);
  expect(sydney.entries).toMatchObject([
    { day: '2026-11-15', requests: 3, misses: 1, money: [{ currency: 'AUD', amount: 0.36 }] },
    {
      day: '2026-11-16',
      requests: 6,
      hits: 5,
      money: [
        { currency: 'AUD', amount: 0.16 },
        { currency: 'USD', amount: 0.09 },
      ],
    },
  ]);
  expect(read('UTC').entries).toMatchObject([{ day: '2026-11-15', requests: 9 }]);
  expect(sydney.total.requests).toBe(9);
});

test('a request that is answered after midnight is possibly charged only on the day it was sent', () => {
  using paid = openPaid();
  const request = { ...everything, since: '2026-08-01', timezone: 'Australia/Sydney' };
  const { spend: read } = readSpend({ ...request, ledger: paid.path }, nowMs);
  expect(SpendJson.parse(read).entries.slice(0, 2)).toMatchObject([
    { day: '2026-08-30', requests: 1, possiblyCharged: 1 },
    { day: '2026-08-31', requests: 0, hits: 1, possiblyCharged: 0 },
  ]);
});

test('the table has one line per group, one for all lookups, and a total', () => {
  using paid = openPaid();
  const { spend: paidSoFar } = readSpend(
    { ...everything, by: ['job'], since: '2026-01-01', ledger: paid.path },
    nowMs,
  );
  expect(rendered(spend, paidSoFar, 90)).toBe(
    [
      'job        calls  found  not found  pages  possibly charged  money',
      '(lookups)      2      2          0      0                 0  AUD 0.00',
      'leads          1      0          0      0                 1  USD 0.09',
      'nightly      107      4          1      2               100  AUD 12.52',
      'total        110      6          1      2               101',
      'total  AUD 12.52 + USD 0.09',
      'Possibly charged calls ended in a server error or without an answer; after a kill, some',
      'may never have been sent.',
      '',
    ].join('\n'),
  );
});

test('a table too wide for the terminal is a sentence for each group', () => {
  using paid = openPaid();
  const found = readSpend({ ...everything, by: ['job'], ledger: paid.path }, nowMs).spend;
  expect(rendered(spend, found, 60)).toContain('leads\n  1 call: 1 possibly charged; USD 0.09\n');
  const entries = found.entries.map((entry) => ({ ...entry, hits: 1, pages: 1 }));
  expect(rendered(spend, { ...found, entries }, 60)).toContain(', 1 page; AUD 0.52');
});

test.each([
  [{ since: 'yesterday' }, '--since needs a date such as 2026-11-01, or an age such as 30d'],
  [{ since: '2026-02-30' }, '--since needs a date'],
  [{ timezone: 'Mars' }, '--timezone needs a time zone such as Australia/Sydney'],
  [{ jobs: ['nigthly'] }, 'has no run of the job nigthly'],
])('%j is refused with a message', (wrong, message) => {
  using paid = openPaid();
  const read = () => readSpend({ ...everything, ...wrong, ledger: paid.path }, nowMs);
  expect(read).toThrow(message);
});

test('without requests the result is empty, and a note says why', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const before = readSpend({ ...everything, ledger: path }, nowMs);
  expect(before.notes[0]).toContain('Nothing has run yet');
  openLedger(path)[Symbol.dispose]();
  const after = readSpend({ ...everything, ledger: path }, nowMs);
  expect(after.notes[0]).toContain('Nothing has been charged since 2026-10-17');
  expect(rendered(spend, after.spend)).toBe('');
});

test('a sum in several currencies, and of calls without a price, stands below the table', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  using ledger = openLedger(path);
  const key = { account: Buffer.alloc(8), runId: 1, operation: 'company' } as const;
  const jobs = { leads: 'AUD', 'a-job-of-the-other-service': 'USD', free: '' };
  for (const [job, currency] of Object.entries(jobs)) {
    const money = { micros: 110_370_000, charged: 110_370_000 };
    const counts = { requests: 77, hits: 77, ...(currency === '' ? {} : money) };
    ledger.spend.add({ ...key, job, currency, quarterAt: nowMs }, counts);
  }
  const found = readSpend({ ...everything, by: ['job'], ledger: path }, nowMs).spend;
  expect(rendered(spend, found).split('\n')).toEqual([
    'job                         calls  found  no price  money',
    'a-job-of-the-other-service     77     77         0  USD 110.37',
    'free                           77     77        77',
    'leads                          77     77         0  AUD 110.37',
    'total                         231    231        77',
    'total  AUD 110.37 + USD 110.37, and 77 calls, price not set',
    '',
  ]);
});
