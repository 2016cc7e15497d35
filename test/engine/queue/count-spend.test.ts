import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { createSpendCounter } from '../../../src/engine/queue/count-spend.ts';

const hour = 3_600_000;
const start = Date.parse('2026-11-29T00:00:00Z');
const anyStep = fc.record({
  job: fc.nat(1),
  wanted: fc.nat(6),
  retries: fc.nat(3),
  refunds: fc.nat(2),
  hours: fc.nat(9),
});

const unsent = { serviceIndex: 0, operation: 'company', end: 'unsent' } as const;

test('two jobs never use more than the budget of a day', () => {
  fc.assert(
    fc.property(
      fc.array(anyStep, { maxLength: 30 }),
      fc.integer({ min: 1, max: 12 }),
      (steps, perDay) => {
        using ledger = openLedger(':temporary:');
        const budget = { perDay, perMonth: undefined, timezone: 'UTC', at: 'main' };
        const accounts = ['00112233'];
        const none = { price: undefined, dearestMicros: 0 };
        const terms = { accounts, budgets: [{ ...budget, accounts }], ...none, attempts: 2 };
        const counters = ['east', 'west'].map((job, at) =>
          createSpendCounter(ledger, terms, { job, runId: at + 1 }, 0),
        );
        /** What the jobs hold, by the quarter in which they reserved it. */
        const held: number[] = [];
        let atMs = start;
        for (const { job, wanted, retries, refunds, hours } of steps) {
          const counter = counters[job];
          if (!counter) return false;
          atMs += hours * hour;
          const given = held.splice(0, refunds).map((quarterAt) => ({ ...unsent, quarterAt }));
          counter.note({ atMs, bookings: given });
          const { calls, spent } = counter.roomFor(wanted, 0, { atMs, bookings: [] });
          const operations = Array.from({ length: calls }, () => 'company' as const);
          const quarterAt = counter.reserve(operations, { atMs, bookings: [] });
          const more = counter.reserveUpTo(
            Array.from({ length: retries }, () => 'people' as const),
            {
              atMs,
              bookings: [],
            },
          );
          held.push(...Array.from({ length: calls + more.granted }, () => quarterAt));
          const today = Math.floor(atMs / (24 * hour));
          const used = held.filter((quarter) => Math.floor(quarter / (24 * hour)) === today).length;
          if (used > perDay || (spent !== undefined && calls > 0)) return false;
          if (wanted > 0 && calls === 0 && spent === undefined) return false;
        }
        const counted = ledger.spend.since(0).reduce((sum, { requests }) => sum + requests, 0);
        return counted === held.length;
      },
    ),
    { numRuns: 25 },
  );
});

test('another key has its own budget', () => {
  using ledger = openLedger(':temporary:');
  const budget = { perDay: 1, perMonth: undefined, timezone: 'UTC', at: 'main' };
  const open = (...accounts: string[]) =>
    createSpendCounter(
      ledger,
      {
        accounts,
        budgets: [{ ...budget, accounts }],
        price: undefined,
        dearestMicros: 0,
        attempts: 1,
      },
      { job: 'leads', runId: 1 },
      0,
    );
  const charge = { atMs: start, bookings: [] };
  expect(open('00000001').reserveUpTo(['company'], charge).granted).toBe(1);
  expect(open('00000001').reserveUpTo(['company'], charge).granted).toBe(0);
  expect(open('00000001').roomFor(1, 0, charge)).toMatchObject({
    calls: 0,
    spent: { per: 'day', limit: 1, used: 1, period: '2026-11-29' },
  });
  expect(open('00000002').reserveUpTo(['company'], charge).granted).toBe(1);
});
