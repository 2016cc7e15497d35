import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isStopNoted, noteStop } from '../../../../src/ui/workbench/runs/runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a process is asked to stop once, and a later one of the same job is another', () => {
  using folder = temporaryFolder();
  const job = { ledger: join(folder.path, 'ledger.db'), name: 'leads' };
  const first = { startedAt: Date.now() - 1_000 };
  expect(isStopNoted(job, first)).toBe(false);
  expect([noteStop(job, first), noteStop(job, first)]).toEqual([true, false]);
  expect([isStopNoted(job, first), isStopNoted({ ...job, name: 'b' }, first)]).toEqual([
    true,
    false,
  ]);
  utimesSync(join(folder.path, 'ledger.db.leads.stop'), 0, 0);
  expect([isStopNoted(job, first), noteStop(job, { startedAt: 1_000 })]).toEqual([false, true]);
});
