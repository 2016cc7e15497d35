import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadJob } from '../../src/job/load-job.ts';
import { destinationsOf } from '../../src/job/resolve-destinations.ts';
import { resolveJob } from '../../src/job/resolve-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readManifest, readSource } from './deploy-files.ts';

const [, jobs] = readManifest('deploy/kubernetes/cronjob-s3.yaml');
const nightly: string = jobs.data['nightly.yaml'];
const platform = readSource('deploy/platform.yaml');

test.each([
  ['of the CronJob', nightly, ['s3']],
  [
    'of the CronJob with its tables',
    nightly.replaceAll(/# (?=- postgres| {2}schema)/g, ''),
    ['s3', 'postgres'],
  ],
  ['of Compose', platform, ['s3', 'postgres']],
])('Dossier takes the job %s', (_, text, kinds) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  writeFileSync(path, text);
  const env = {
    DOSSIER_URL: 'https://api.example.com/v1',
    WAREHOUSE_URL: 'postgres://dossier:secret@warehouse:5432/analytics',
  };
  const job = resolveJob(loadJob(path, env), { flags: {}, env, cwd: '/data' });
  expect(destinationsOf(job).map(({ kind }) => kind)).toEqual(kinds);
  expect(job).toMatchObject({
    input: { path: expect.stringMatching(/^s3:/) },
    ledger: '/data/ledger.db',
    ledgerCare: { snapshot: { address: expect.stringMatching(/^s3:.*\.db\.zst$/) } },
  });
});
