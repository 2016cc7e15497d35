import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { paidBy } from '../../src/report/paid-by.ts';

test('the report tells what a run has cost in all its starts, and no money without a price', () => {
  using ledger = openLedger(':temporary:');
  const place = { account: Buffer.alloc(8), job: 'nightly', operation: 'company' } as const;
  const priced = { ...place, runId: 1, currency: 'AUD' };
  ledger.spend.add({ ...priced, quarterAt: 0 }, { requests: 3, micros: 360_000 });
  ledger.spend.add({ ...priced, quarterAt: 900_000 }, { requests: 2, micros: 240_000 });
  ledger.spend.add({ ...place, runId: 2, currency: '', quarterAt: 0 }, { requests: 2 });
  expect(paidBy(ledger, 1)).toEqual({ paid: { money: 'AUD 0.60', requests: 5 } });
  expect(paidBy(ledger, 2)).toEqual({});
});
