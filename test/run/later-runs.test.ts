import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, describe, expect, vi } from 'vitest';
import { postgresAddress, secretAddress } from '../../src/job/read-address.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { runJob } from '../../src/run/run-job.ts';
import { readBucket } from '../results/destinations/s3/sample-upload.ts';
import { startObjectStore, type TestObjectStore } from '../support/object-store.ts';
import { emptyDatabase, type RunningPostgres, testWithPostgres } from '../support/postgres.ts';
import { succeeded } from '../support/run-dossier.ts';
import { answeredBy, companyOfDomain } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver, testJob } from '../support/test-job.ts';
import { exportOf } from './nights.ts';

const sites = (rows: number) => Array.from({ length: rows }, (_, row) => `s${row}.com.au`);

describe('the order of runs at a bucket and a database', () => {
  let store: TestObjectStore;
  let postgres: RunningPostgres;
  beforeAll(async () => {
    store = await startObjectStore();
    postgres = await emptyDatabase();
  });
  afterAll(() => store[Symbol.asyncDispose]());
  beforeEach(() => {
    for (const [name, value] of Object.entries(store.env)) vi.stubEnv(name, value);
  });

  /** A job with a bucket and a database, on a ledger of its own. */
  function jobIn(folder: string, name: string, sites: readonly string[], path = name): ResolvedJob {
    mkdirSync(folder, { recursive: true });
    return jobOver(folder, sites, {
      output: { ...testJob().output, path: join(folder, 'output') },
      otherDestinations: [
        { ...testJob().output, kind: 's3', path: `s3://${store.bucket}/${path}` },
        {
          kind: 'postgres',
          address: secretAddress(postgres.url, 'output.postgres', postgresAddress),
          schema: name,
        },
      ],
    });
  }
  const onDay = (job: ResolvedJob, day: number) => {
    const clock = { ...systemClock, wallMs: () => Date.UTC(2026, 7, day, 4) };
    return runJob(job, answeredBy(companyOfDomain, { clock, acceptsClock: true }));
  };
  /** What a destination has: the run, its companies, and the runs with changes. */
  const inDatabase = async (schema: string) => ({
    loaded: await postgres.sql(
      `select run_id from ${schema}.runs where loaded_at is not null order by loaded_at desc limit 1`,
    ),
    companies: await postgres.sql(`select row_key from ${schema}.companies order by row_key`),
    changes: await postgres.sql(`select distinct run from ${schema}.changes order by run`),
  });
  const nightsIn = (schema: string) =>
    postgres.sql(`select run_id || ' ' || counts_rows || ' ' || counts_changes_row_added || ' ' || coalesce(run_changes_since, '-')
      from ${schema}.runs order by run_id`);
  /** The run of each change. */
  const changesInBucket = async (path: string) => {
    const changes = parse(await inBucket(`${path}/changes.csv`), { columns: true });
    return (changes as { run: string }[]).map(({ run }) => run);
  };
  const inBucket = async (key: string) => {
    await using objects = await openObjectStore(store.env);
    return (await readBucket(objects, store.bucket, key))[key] ?? '';
  };
  const latest = async (path: string) => {
    const { run, files } = JSON.parse(await inBucket(`${path}/latest.json`));
    return { run: run.id, rows: files?.[0]?.rows };
  };

  testWithPostgres.for([
    ['one folder', 'ahead', 'ahead'],
    ['a folder for each day', 'ahead_dated', 'ahead_dated/{date}'],
  ] as const)(
    'a run with the clock a month ahead does not keep later runs away, with %s',
    async ([, name, path]) => {
      using folder = temporaryFolder();
      const job = (rows: number) => jobIn(folder.path, name, sites(rows), path);
      await onDay(job(1), 1);
      await onDay(job(2), 32);
      const next = await onDay(job(3), 3);
      expect(next.exported.unreached).toBeUndefined();
      expect(next.exitCode).toBe(0);
      const there = await inDatabase(name);
      expect(there).toMatchObject({ loaded: ['r3'], changes: ['r2', 'r3'] });
      expect(there.companies).toHaveLength(3);
      expect(await latest(name)).toEqual({ run: 'r3', rows: 3 });
    },
  );

  testWithPostgres(
    'results without the id of a ledger that know the run follow it too',
    async () => {
      using folder = temporaryFolder();
      const job = (rows: number) => jobIn(folder.path, 'upgrade', sites(rows));
      await onDay(job(1), 32);
      await postgres.sql(
        `update upgrade.runs set ledger_id = null, manifest = manifest - 'ledgerId'`,
      );
      await succeeded(onDay(job(2), 2));
      expect(await inDatabase('upgrade')).toMatchObject({ loaded: ['r2'], changes: ['r2'] });
    },
  );

  testWithPostgres(
    'an older run of another ledger is refused by name, and goes there once it is named',
    async () => {
      using folder = temporaryFolder();
      const ofLedger = (ledger: string, sites: readonly string[]) =>
        jobIn(join(folder.path, ledger), 'two', sites);
      await onDay(ofLedger('ahead', ['a.com.au']), 32);
      await onDay(ofLedger('ahead', ['a.com.au', 'b.com.au']), 33);
      const job = ofLedger('right', ['c.com.au']);
      const refused = await onDay(job, 3);
      expect(refused.exitCode).toBe(78);
      expect(refused.exported.destinations.map(({ failed }) => failed?.message)).toEqual([
        undefined,
        expect.stringContaining(`r1 was not written to s3://${store.bucket}/two, because r2 of`),
        expect.stringContaining('schema two, because r2 of another ledger (started 2026-09-02'),
      ]);
      const before = await inDatabase('two');
      expect(before).toMatchObject({ loaded: ['r2'], changes: ['r2'] });
      expect(before.companies).toHaveLength(2);
      expect(await latest('two')).toEqual({ run: 'r2', rows: 2 });

      const named = await exportOf(job, { runId: 1 });
      expect(named).toMatchObject({ exitCode: 0, replaced: { run: 'r2', isOurs: false } });
      const after = await inDatabase('two');
      expect(after).toMatchObject({ loaded: ['r1'], changes: [] });
      expect(after.companies).toHaveLength(1);
      expect(await latest('two')).toEqual({ run: 'r1', rows: 1 });
      await succeeded(onDay(ofLedger('right', ['c.com.au', 'd.com.au']), 4));
      expect(await inDatabase('two')).toMatchObject({ loaded: ['r2'], changes: ['r2'] });
      expect(await latest('two')).toEqual({ run: 'r2', rows: 2 });
    },
  );

  testWithPostgres(
    'runs that were refused are not lost: a named run brings them along, whoever wrote last',
    async () => {
      using folder = temporaryFolder();
      const ofLedger = (ledger: string, rows: number) =>
        jobIn(join(folder.path, ledger), 'between', sites(rows));
      await onDay(ofLedger('right', 1), 1);
      await onDay(ofLedger('ahead', 9), 32);
      expect((await onDay(ofLedger('right', 2), 2)).exitCode).toBe(78);
      expect((await onDay(ofLedger('right', 4), 3)).exitCode).toBe(78);
      const named = await exportOf(ofLedger('right', 4), { runId: 3 });
      expect(named).toMatchObject({ exitCode: 0, replaced: { run: 'r1', isOurs: false } });
      expect(await nightsIn('between')).toEqual(['r1 1 0 -', 'r2 2 1 r1', 'r3 4 2 r2']);
      const there = await inDatabase('between');
      expect(there).toMatchObject({ loaded: ['r3'], changes: ['r2', 'r3'] });
      expect(there.companies).toHaveLength(4);
      expect(await changesInBucket('between')).toEqual(['r2', 'r3', 'r3']);
    },
  );

  testWithPostgres(
    'a ledger restored from a copy of its file is refused until its run is named',
    async () => {
      using folder = temporaryFolder();
      const job = (rows: number) => jobIn(folder.path, 'copied', sites(rows));
      await onDay(job(1), 1);
      const copy = join(folder.path, 'copy.db');
      copyFileSync(job(1).ledger, copy);
      await onDay(job(2), 2);
      copyFileSync(copy, job(1).ledger);
      // The next run has the number of the lost one. Later ones are refused as well.
      for (const [rows, day] of [
        [3, 3],
        [5, 4],
      ] as const) {
        const refused = await onDay(job(rows), day);
        expect(refused.exitCode).toBe(78);
        expect(refused.exported.unreached?.message).toContain(
          `schema copied, because r2 (started 2026-08-02T04:00:00.000Z) is there, which this ledger has lost`,
        );
      }
      expect((await inDatabase('copied')).companies).toHaveLength(2);
      await succeeded(exportOf(job(5), { runId: 3 }));
      expect(await nightsIn('copied')).toEqual(['r1 1 0 -', 'r2 3 2 r1', 'r3 5 2 r2']);
      expect(await inDatabase('copied')).toMatchObject({ loaded: ['r3'], changes: ['r2', 'r3'] });
      expect(await changesInBucket('copied')).toEqual(['r2', 'r2', 'r3', 'r3']);
      await succeeded(onDay(job(6), 5));
    },
  );
});
