import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withJob } from '../../../src/engine/runs/job-runs.ts';
import { queueTerms } from '../../../src/run/terms-of-job.ts';
import { countCalls } from '../../support/count-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';
import { ingestTestRun, listOf } from '../../support/test-run.ts';

test('a process writes nothing to a run that another took over', async () => {
  using folder = temporaryFolder();
  const ledgerPath = join(folder.path, 'ledger.db');
  const job = testJob({ ledger: ledgerPath, identify: [{ column: 'website', as: 'fqdn' }] });
  const terms = queueTerms(job);
  const list = listOf(['website'], [['d0.com.au'], ['d1.com.au']]);
  await withJob(terms, async (runs) => {
    const { run } = await ingestTestRun(runs.ledger, job, list);
    const queue = await runs.open(run);
    const { calls } = await queue.exchange([], [1]);
    expect(calls).toHaveLength(1);

    rmSync(`${ledgerPath}.${job.name}.lock`);
    await withJob(terms, async (others) => void (await others.open(run)));
    const taken = { code: 'JOB_BUSY', message: expect.stringContaining('took over') };
    await expect(queue.exchange([], [1])).rejects.toMatchObject(taken);
    await expect(queue.returnUnsent([calls[0]?.callId ?? 0])).rejects.toMatchObject(taken);
    await expect(runs.finish(run, 2_000)).rejects.toMatchObject(taken);
    const newList = { columns: ['website'], keyColumns: null, inputSha256: '' };
    await expect(runs.completeList(run, newList)).rejects.toMatchObject(taken);
    expect(countCalls(runs.ledger, run.id)).toMatchObject({
      open: 2,
      leased: 0,
      possiblyCharged: 1,
    });
  });
});
