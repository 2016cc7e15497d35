import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockJob } from '../../../src/engine/ledger/file/locks.ts';
import type { FolderState, HistoryJob, Upgraded } from '../../../src/ui/workbench/api.ts';
import { unpackLedger } from '../../faults/support/released-ledger.ts';
import { openUiHere } from '../../support/open-ui.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const yaml = 'name: companies\ninput: {path: companies.csv}\nledger: ledger.db\n';
const kept = join(import.meta.dirname, '../../faults/ledgers/0.9.0.db.gz');

test('the page upgrades a ledger of an older version when it is told to, and not before', async () => {
  using folder = temporaryFolder();
  const ledger = unpackLedger(kept, folder.path);
  // Also as the ledger of the folder, which lists without a job file use.
  mkdirSync(join(folder.path, 'output'));
  const own = join(folder.path, 'output/ledger.db');
  renameSync(ledger, own);
  unpackLedger(kept, folder.path);
  writeFileSync(join(folder.path, 'companies.yaml'), yaml);
  const env = { DOSSIER_URL: 'http://service.invalid/v1' };
  await using ui = await openUiHere(folder.path, env);
  const outdatedOf = async (query = {}) =>
    (await ui.answer<FolderState>('folder', { query })).outdated;
  const job = { job: 'companies.yaml' };
  for (const query of [{}, job]) {
    expect(await outdatedOf(query)).toMatchObject({
      code: 'LEDGER_OUTDATED',
      remedy: expect.stringContaining('Press “Upgrade the ledger”'),
    });
  }
  expect(readdirSync(folder.path).filter((name) => name.includes('.before-'))).toEqual([]);

  {
    using _lock = lockJob(own, 'leads');
    const refused = await ui.ask('upgrade', { method: 'POST' });
    expect(refused.body).toMatchObject({ code: 'JOB_BUSY' });
  }
  const { copy } = await ui.answer<Upgraded>('upgrade', { method: 'POST' });
  expect(copy).toMatch(/^output\/ledger\.db\.before-upgrade-\d/);
  expect(await outdatedOf()).toBeNull();
  expect(await outdatedOf(job)).not.toBeNull();
  await ui.ask('upgrade', { method: 'POST', query: job });
  expect(await outdatedOf(job)).toBeNull();
  const jobs = await ui.answer<HistoryJob[]>('history');
  expect(jobs.find(({ name }) => name === 'companies')).not.toHaveProperty('problem');
  expect(await ui.answer('upgrade', { method: 'POST' })).toEqual({ copy: null });
});
