import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';

test('the newest note of a run is the one that is read', () => {
  using ledger = openLedger(':temporary:');
  expect(ledger.progress.of(1)).toBeUndefined();
  ledger.progress.put(1, 10, { rows: 1 });
  ledger.progress.put(1, 20, { rows: 2 });
  ledger.progress.put(2, 15, { rows: 9 });
  expect(ledger.progress.of(1)).toEqual({ notedAt: 20, counts: { rows: 2 } });
});
