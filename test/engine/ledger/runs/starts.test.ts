import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';

const origin = { host: 'crow', pid: 7, version: '0.1.0', startedBy: 'script' as const };

test('the starts of a job are listed newest first, each with its end', () => {
  using ledger = openLedger(':temporary:');
  const { starts } = ledger;
  const first = starts.begin({ job: 'leads', ...origin, startedAt: 1_000 });
  starts.putRun({ id: first, runId: 1 });
  starts.end({ id: first, endedAt: 2_000, exitCode: 75, reason: 'BUDGET_SPENT' });
  starts.begin({ job: 'others', ...origin, startedAt: 1_500 });
  starts.begin({ job: 'leads', ...origin, startedAt: 3_000 });
  const noEnd = { endedAt: null, exitCode: null, reason: null };
  expect(starts.list('leads', 9)).toEqual([
    { job: 'leads', ...origin, startedAt: 3_000, runId: null, ...noEnd },
    {
      ...{ job: 'leads', ...origin, startedAt: 1_000, runId: 1 },
      ...{ endedAt: 2_000, exitCode: 75, reason: 'BUDGET_SPENT' },
    },
  ]);
});

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
