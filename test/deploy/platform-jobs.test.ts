import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openObjectStore } from '../../src/core/objects/open-object-store.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { destinationsOf, resolveJob } from '../../src/job/resolve-job.ts';
import { startObjectStore } from '../support/object-store.ts';
import { emptyDatabase, testWithPostgres } from '../support/postgres.ts';
import { runDossier } from '../support/run-dossier.ts';
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

testWithPostgres(
  'the job of Compose fills a bucket and tables, and costs another pod nothing',
  async () => {
    await using store = await startObjectStore();
    await using warehouse = await emptyDatabase();
    await using objects = await openObjectStore(store.env);
    const { bucket } = store;
    const list = Buffer.from(readSource('fixtures/leads/leads.csv'));
    await objects.put({ bucket, key: 'in/leads.csv' }, list);

    /** A run on a disk that nobody has used before. */
    const run = async () => {
      using disk = temporaryFolder();
      const job = join(disk.path, 'platform.yaml');
      writeFileSync(
        job,
        platform.replaceAll('s3://leads/', `s3://${bucket}/`).replace('/data/', `${disk.path}/`),
      );
      const env = { ...store.env, DOSSIER_URL: 'embedded', WAREHOUSE_URL: warehouse.url };
      const { exitCode, stdout, stderr } = await runDossier(
        ['run', job, '--json', '--rate', 'none'],
        { env },
      );
      expect(exitCode, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    const latest = async () => {
      const found = await objects.get({ bucket, key: 'out/latest.json' });
      const chunks: Uint8Array[] = [];
      for await (const chunk of found?.bytes ?? []) chunks.push(chunk);
      return JSON.parse(Buffer.concat(chunks).toString());
    };
    const first = await run();
    expect(first.calls.made).toBeGreaterThan(100);
    const day = new Date().toISOString().slice(0, 10);
    const keys: string[] = [];
    for await (const { key } of objects.list({ bucket, key: '' })) keys.push(key);
    expect(keys).toEqual(
      expect.arrayContaining([
        `out/date=${day}/run=r1/companies.parquet`,
        `out/date=${day}/run=r1/manifest.json`,
        'out/latest.json',
        'ledger/platform.db.zst.lease',
        expect.stringMatching(/^ledger\/platform\.db\.zst\.copy-/),
      ]),
    );
    const second = await run();
    expect(second.calls.made).toBe(0);
    expect((await latest()).run.id).toBe(second.run);
    const counted =
      'select count(*) from enrichment.companies; select count(*) from enrichment.runs';
    expect(await warehouse.sql(counted)).toEqual([String(first.rows.total), '2']);
  },
);
