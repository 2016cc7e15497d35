import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { backupLedger } from '../../src/engine/ledger/care/backup-ledger.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { readStatus } from '../../src/facts/status.ts';
import { composeMessage } from '../../src/integrations/oncall/on-call.ts';
import { postgresAddress, secretAddress } from '../../src/job/read-address.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { findRun } from '../../src/run/export/export-run.ts';
import { exportFacts } from '../../src/run/run-facts.ts';
import { runJob } from '../../src/run/run-job.ts';
import type { RunEnd } from '../../src/run/run-schemas.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { emptyDatabase, type RunningPostgres, testWithPostgres } from '../support/postgres.ts';
import { succeeded } from '../support/run-dossier.ts';
import { answeredBy, companyOfDomain } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver } from '../support/test-job.ts';

const away = 'postgres://loader:hunter22@127.0.0.1:9/warehouse';
const shownAway = 'postgres://127.0.0.1:9/warehouse, schema lag';

/** The same list, which is one site longer every night. */
function jobWith(url: string, folder: string, night: number, schema = 'lag'): ResolvedJob {
  const address = secretAddress(url, 'output.postgres', postgresAddress);
  const sites = Array.from({ length: night }, (_, row) => `s${row}.com.au`);
  return jobOver(folder, sites, {
    otherDestinations: [{ kind: 'postgres', address, schema }],
  });
}

const run = (job: ResolvedJob) => runJob(job, answeredBy(companyOfDomain));

function statusOf(job: ResolvedJob) {
  const { status } = readStatus(undefined, 3, job, job.ledger);
  const [found] = status.jobs;
  if (!found) throw new Error('the ledger has no job');
  return found;
}

test('each destination is shown with the last run that it received, and why it lacks others', async () => {
  using folder = temporaryFolder();
  await run(jobWith(away, folder.path, 1));
  const job = jobWith(away, folder.path, 2);
  const { exported, exitCode } = await run(job);
  expect(exitCode).toBe(69);
  const lacking = {
    kind: 'postgres',
    address: shownAway,
    lastRun: null,
    behind: 2,
    reason: 'WAREHOUSE_DOWN',
    failed: expect.stringContaining('127.0.0.1:9/warehouse cannot be reached'),
    leftOut: null,
  };
  const delivered = { kind: 'folder', lastRun: 'r2', behind: 0, reason: null, failed: null };
  expect(exportFacts(exported).destinations).toMatchObject([delivered, lacking]);
  expect(statusOf(job)).toMatchObject({
    destinations: [{ ...delivered, address: job.output.path }, lacking],
    runs: [{ run: 'r2', state: 'undelivered', reason: 'WAREHOUSE_DOWN' }],
  });
  // The manifest was written before r2 reached the destinations.
  expect(manifestIn(job.output.path).destinationsBehind).toEqual([{ ...lacking, behind: 1 }]);
  const ended = { ...exportFacts(exported), exitCode, message: 'x', run: 'r2', job: 'leads' };
  const { text } = composeMessage(
    {
      ...ended,
      money: [],
      possibleMoney: [],
      unpriced: 0,
      requests: 0,
      changes: null,
    } as unknown as RunEnd,
    'crow',
    '1.0',
  );
  expect(text).toContain(`${shownAway}: no run yet, 2 runs behind`);
});

describe('with a database that comes back', () => {
  let postgres: RunningPostgres;
  beforeAll(async () => {
    postgres = await emptyDatabase();
  });

  testWithPostgres('a night with an empty variable keeps the record of the database', async () => {
    using folder = temporaryFolder();
    const night = async (number: number, url: string) => {
      vi.stubEnv('WAREHOUSE_URL', url);
      const job = jobWith(`\${WAREHOUSE_URL:-}`, folder.path, number, 'off');
      await succeeded(run(job));
      return statusOf(job).destinations[1];
    };
    const address = `\${WAREHOUSE_URL:-}, schema off`;
    expect(await night(1, postgres.url)).toMatchObject({ address, lastRun: 'r1', behind: 0 });
    expect(await night(2, '')).toMatchObject({
      ...{ address, lastRun: 'r1', behind: 1, reason: null },
      leftOut: 'The environment variable for the database URL is empty.',
    });
    expect(await night(3, postgres.url)).toMatchObject({ address, lastRun: 'r3', behind: 0 });
  });
});

test('a run with --output neither hides nor delivers what a destination lacks', async () => {
  using folder = temporaryFolder();
  const job = jobWith(away, folder.path, 1);
  await run(job);
  const elsewhere = {
    ...job,
    isElsewhere: true,
    output: { ...job.output, path: join(folder.path, 'elsewhere') },
    otherDestinations: [],
  };
  await run(elsewhere);
  expect(statusOf(job).destinations).toMatchObject([
    { kind: 'folder', lastRun: 'r1' },
    { address: shownAway, lastRun: null, reason: 'WAREHOUSE_DOWN' },
  ]);
});

test('a restored backup knows the results of its runs', async () => {
  using folder = temporaryFolder();
  const job = jobOver(folder.path, ['a.com.au']);
  await run(job);
  const copy = join(folder.path, 'copy.db');
  const { signal } = new AbortController();
  await backupLedger(job.ledger, copy, { isForced: false, signal, onProgress() {} });
  using ledger = openLedger(copy);
  const manifest = manifestIn(job.output.path);
  expect(manifest.ledgerId).not.toBe(ledger.id);
  expect(findRun(ledger, job.name, manifest)).toMatchObject({ id: 1 });
  expect(findRun(ledger, job.name, { ...manifest, startedAt: '2026-01-01T00:00:00.000Z' })).toBe(
    undefined,
  );
});
