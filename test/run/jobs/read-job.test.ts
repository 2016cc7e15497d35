import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { namesForList, namesOfPastList } from '../../../src/run/jobs/read-job.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';
import { startTestRun } from '../../support/test-run.ts';

const march = '/march/leads.csv';
const april = '/april/leads.csv';

function openFolder() {
  const folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  const job = (list: string, name = 'leads') => testJob({ name, list, ledger });
  return {
    path: folder.path,
    job,
    run(list: string, name = 'leads') {
      using open = openLedger(ledger);
      startTestRun(open, job(list, name));
    },
    result(name: string, manifest: object) {
      const path = join(folder.path, 'output', name);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest));
    },
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

test('a folder that holds the result of another list is left alone, whatever the ledger says', () => {
  using folder = openFolder();
  folder.result('leads', { listPath: march });
  const folderOf = (list: string) => namesForList(folder.job(list), folder.path).folder;
  expect([folderOf(march), folderOf(april)]).toEqual(['leads', 'leads-2']);
  folder.result('leads-2', { listPath: april });
  expect([folderOf(april), folderOf('/may/leads.csv')]).toEqual(['leads-2', 'leads-3']);
  folder.result('leads', {});
  expect(folderOf('/may/leads.csv')).toBe('leads');
});

test('a job that has run is found by its list, or by its name', () => {
  using folder = openFolder();
  folder.run(march);
  folder.run(april, 'leads-2');
  const jobOf = (list: string, given: string) =>
    namesOfPastList(folder.job(list), given, folder.path).job;
  expect(jobOf(april, 'april/leads.csv')).toBe('leads-2');
  expect(jobOf('/here/leads', 'leads')).toBe('leads');
  expect(jobOf('/may/leads.csv', 'may/leads.csv')).toBe('leads-may');
  // A name that is as long as names may be gets a number, too.
  const name = 'a'.repeat(64);
  folder.run(march, name);
  expect(namesForList(folder.job(april, name), folder.path).job).toBe(`${'a'.repeat(62)}-2`);
});
