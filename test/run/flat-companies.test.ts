import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pruneLedger } from '../../src/engine/ledger/care/prune-ledger.ts';
import { openDatabase } from '../engine/ledger/support/answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { exportOf, jobIn, runNight, tableIn } from './nights.ts';

const noBodies = `update answer set checksum = 0`;
const olderVersion = `update answer set flat_version = 1`;
const damagedCompanies = `update answer set flat_length = flat_length - 1`;

test.each([
  ['are copied, so bodies are not needed', noBodies, 'matched'],
  ['of another version are made from their bodies', olderVersion, 'matched'],
  ['that are damaged are made from their bodies', damagedCompanies, 'matched'],
  ['cannot be made without bodies', `${olderVersion}; ${noBodies}`, 'failed'],
])('flat companies %s', async (_, change, status) => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path), people: undefined };
  await runNight(job, 1);
  const before = tableIn(job, 'companies');
  {
    using db = openDatabase(job.ledger);
    db.value.exec(change);
  }
  const path = join(folder.path, 'again');
  await exportOf(job, { path });
  const after = tableIn({ ...job, output: { ...job.output, path } }, 'companies');
  expect(after.map((row) => row.status)).toEqual(before.map(() => status));
  if (status === 'matched') expect(after).toEqual(before);
});

test('a bundle that is packed again has flat companies of this version', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path), people: undefined };
  await runNight(job, 1);
  const versions = () => {
    using db = openDatabase(job.ledger);
    const all = db.value.prepare(`select distinct flat_version from answer where outcome = 'hit'`);
    return all.pluck().all();
  };
  const made = versions();
  expect(made).toEqual([expect.any(Number)]);
  {
    using db = openDatabase(job.ledger);
    db.value.exec(`${olderVersion}; update bundle set plain_length = 9 * plain_length`);
  }
  pruneLedger(job.ledger, {
    keepRuns: 1,
    olderThanMs: undefined,
    isDryRun: false,
    now: Date.now(),
  });
  expect(versions()).toEqual(made);
});
