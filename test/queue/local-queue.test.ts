import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LedgerLost } from '../../src/ledger/file/ledger-lost.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { queueTerms } from '../../src/run/open-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testJob } from '../support/test-job.ts';
import { ingestTestRun, listOf } from '../support/test-run.ts';

test('answers go to the copy also where the ledger is lost in the middle of storing them', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const job = testJob({ ledger: path, identify: [{ column: 'website', as: 'fqdn' }] });
  using ledger = openLedger(path);
  const { run } = await ingestTestRun(ledger, job, listOf(['website'], [['d0.com.au']]));
  let isLost = false;
  const losing: typeof ledger = {
    ...ledger,
    // As when the commit fails and the file is found to be gone.
    together: (work) =>
      ledger.together(() => {
        const result = work();
        if (isLost) throw new LedgerLost('gone', path);
        return result;
      }),
  };
  await using queue = openQueue(losing, run, queueTerms(job));
  const { calls } = await queue.exchange([], 1);
  isLost = true;
  const body = Buffer.from('{"id":"c_0"}');
  const answers = calls.map(({ callId }) => ({
    ...{ callId, fetchedAt: 2_000 },
    outcome: {
      kind: 'hit',
      companyId: 'c_0',
      status: 200,
      body,
      attempts: 1,
      durationMs: 1,
    } as const,
  }));
  expect(await queue.exchange(answers, 0)).toMatchObject({
    lost: 'gone',
    counts: { rows: { matched: 1, open: 0 } },
  });
});
