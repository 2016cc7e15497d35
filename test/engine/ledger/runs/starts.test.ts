import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';

const origin = {
  host: 'crow',
  pid: 7,
  version: '0.1.0',
  startedBy: 'script' as const,
  reason: null,
};

test('the ledger keeps the newest 200 starts of a job, and those of other jobs', () => {
  using ledger = openLedger(':temporary:');
  const { starts } = ledger;
  starts.begin({ job: 'others', ...origin, startedAt: 0 });
  for (let night = 1; night <= 205; night += 1) {
    starts.begin({ job: 'leads', ...origin, startedAt: night });
  }
  const kept = starts.list('leads', 1_000).map(({ startedAt }) => startedAt);
  expect(kept).toEqual(Array.from({ length: 200 }, (_, index) => 205 - index));
  expect(starts.list('others', 9)).toHaveLength(1);
});
