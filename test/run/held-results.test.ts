import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call, CallResult } from '../../src/core/contract/call.ts';
import { DossierError, type ErrorCode } from '../../src/core/errors.ts';
import { lockJob } from '../../src/engine/ledger/file/locks.ts';
import { sampleData } from '../../src/engine/providers/providers.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { planJob } from '../../src/run/plan-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import { miss } from '../support/answers.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { succeeded } from '../support/run-dossier.ts';
import { answeredBy, companyOfDomain } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { companyDataService, jobOver, testJob } from '../support/test-job.ts';
import { exportOf } from './nights.ts';

type Answer = (call: Call) => CallResult;

const found: Answer = companyOfDomain;
const missed: Answer = () => miss;
const stoppedBy = (code: ErrorCode): Answer => {
  return () => {
    throw new DossierError(code, 'enough');
  };
};

const sitesOf = (rows: number) => Array.from({ length: rows }, (_, row) => `site${row}.com.au`);

/** A job whose companies are looked up every time, in a folder of its own. */
function jobIn(folder: string, rows: number, changes: Partial<ResolvedJob> = {}): ResolvedJob {
  const reuse = { ...testJob().reuse, companiesMs: 0, peopleMs: 0 };
  return jobOver(folder, sitesOf(rows), { reuse, ...changes });
}

/** No result is that good, so every one is held. */
const unmet = [Expect.shape.matchRate.unwrap().parse('> 100%')];
const atLeast = (rows: number) => [Expect.shape.rows.unwrap().parse(`>= ${rows}`)];
const dropAtMost = (text: string) => [Expect.shape.rowsDrop.unwrap().parse(text)];

const unexpected: Answer = () => {
  throw new Error('a call was made');
};

const run = (job: ResolvedJob, answer: Answer = found, acceptsList = false) =>
  runJob(job, answeredBy(answer, { acceptsList: () => acceptsList }));

test('drops are measured against what was published, not against what was held', async () => {
  using folder = temporaryFolder();
  const expect20 = { expect: dropAtMost('<= 20%') };
  expect((await run(jobIn(folder.path, 10, expect20))).held).toBeNull();
  for (const rows of [5, 4]) {
    await expect(run(jobIn(folder.path, rows, expect20), unexpected)).rejects.toMatchObject({
      code: 'LIST_HELD',
      message: expect.stringContaining(`from 10 rows in r1 to ${rows}`),
    });
  }
  expect((await run(jobIn(folder.path, 8, expect20))).held).toBeNull();
  expect((await run(jobIn(folder.path, 7, expect20))).held).toBeNull();
});

test('a result of sample data is not compared with a real service, but the reverse is', async () => {
  using folder = temporaryFolder();
  const service = {
    ...companyDataService,
    url: sampleData,
    provider: 'sample-data',
    isSample: true,
  } as const;
  const expect0 = { expect: dropAtMost('<= 0') };
  await run(jobIn(folder.path, 10, { ...expect0, services: [service] }));
  expect((await run(jobIn(folder.path, 5, expect0))).held).toBeNull();
  await expect(
    run(jobIn(folder.path, 4, { ...expect0, services: [service] })),
  ).rejects.toMatchObject({
    code: 'LIST_HELD',
  });
});

/** The job over its own list, so that the default checks apply. */
function ownListIn(folder: string, rows: number, changes: Partial<ResolvedJob> = {}) {
  const job = jobIn(folder, rows, changes);
  return { ...job, list: job.input.path };
}

test.each([
  ['an empty list', 0, 'the list has 0 rows, but the last result (r1) had 40'],
  [
    'a cut list',
    19,
    'the list has 19 rows, but the last result (r1) had 40. The list looks cut short',
  ],
])('%s is held before the first call, and taken once it is accepted', async (_, rows, message) => {
  using folder = temporaryFolder();
  await run(ownListIn(folder.path, 40));
  const job = ownListIn(folder.path, rows);
  expect((await planJob(job, { clock: systemClock })).held?.why).toBe(message);
  await expect(run(job, unexpected)).rejects.toMatchObject({
    code: 'LIST_HELD',
    message: expect.stringContaining(message),
  });
  expect(manifestIn(job.output.path)).toMatchObject({ run: 'r1', rows: { total: 40 } });
  expect(existsSync(join(job.output.path, 'held-r2'))).toBe(false);
  // Neither a try nor another list is compared with the last result.
  const tried = { ...job, input: { ...job.input, maxRows: 100 } };
  if (rows > 0) {
    expect((await planJob(tried, { clock: systemClock })).held).toBeUndefined();
    expect((await run(tried)).held).toBeNull();
  }
  expect((await run(job, found, true)).counts.rows.matched).toBe(rows);
  expect(manifestIn(job.output.path)).toMatchObject({ rows: { total: rows } });
});

test('a short list of other rows is another list, and `rows` of the job replaces the checks', async () => {
  using folder = temporaryFolder();
  await run(ownListIn(folder.path, 40));
  const job = ownListIn(folder.path, 2);
  writeFileSync(job.input.path, 'website\nnew.com.au\nother.com.au\n');
  expect((await run(job)).counts.rows.matched).toBe(2);
  await succeeded(run(ownListIn(folder.path, 0, { expect: atLeast(0) })));
});

test('a first run over an empty list says what it read', async () => {
  using folder = temporaryFolder();
  const job = ownListIn(folder.path, 0);
  const refused = {
    code: 'LIST_EMPTY',
    message: `${job.input.path} has no rows below its header in row 1 (website)`,
  };
  await expect(run(job)).rejects.toMatchObject(refused);
  await expect(planJob(job, { clock: systemClock })).rejects.toMatchObject(refused);
  await expect(run(job, found, true)).rejects.toMatchObject(refused);
  await expect(run({ ...job, expect: atLeast(5) })).rejects.toMatchObject(refused);
  await expect(run({ ...job, input: { ...job.input, maxRows: 3 } })).rejects.toMatchObject(refused);
});

test('an export does not touch destinations that a running job will write, also in a bucket', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 1);
  await run(job);
  const path = 's3://results/{job}';
  const remote: ResolvedJob = {
    ...job,
    output: { ...job.output, isUnused: true },
    otherDestinations: [{ ...job.output, kind: 's3', path }],
  };
  using _lock = lockJob(job.ledger, job.name);
  await expect(exportOf(remote)).rejects.toMatchObject({
    code: 'JOB_BUSY',
    message: expect.stringContaining('in progress and will write s3://results/leads itself'),
  });
});

test('with a date in the path, the next published result removes a held one of another day', async () => {
  using folder = temporaryFolder();
  const output = { ...testJob().output, path: join(folder.path, 'out/{date}') };
  const job = jobIn(folder.path, 5, { output });
  const on = (day: number) => ({ ...systemClock, wallMs: () => Date.UTC(2026, 7, day) });
  await runJob({ ...job, expect: unmet }, answeredBy(found, { clock: on(1) }));
  expect(manifestIn(join(folder.path, 'out/held-r1/2026-08-01'))).toMatchObject({ run: 'r1' });
  await runJob(job, answeredBy(found, { clock: on(2) }));
  expect(readdirSync(join(folder.path, 'out'))).toEqual(['2026-08-02']);
});

test.each<[ErrorCode, boolean]>([
  ['SERVICE_DOWN', true],
  ['KEY_REFUSED', true],
  ['JOB_REFUSED', false],
  ['INTERRUPTED', false],
])('after %s files are written: %s', async (code, isWritten) => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  await expect(run(job, stoppedBy(code))).rejects.toMatchObject({ code });
  expect(existsSync(join(job.output.path, 'manifest.json'))).toBe(isWritten);
  if (isWritten) expect(manifestIn(job.output.path)).toMatchObject({ complete: false });
});

test('an export of a stopped run does not replace a complete result', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  await run(job);
  await expect(run(job, stoppedBy('INTERRUPTED'))).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const { isAside, exported } = await exportOf(job);
  expect(isAside).toBe(true);
  expect(exported.folder).toBe(join(job.output.path, 'held-r2'));
  expect(manifestIn(job.output.path)).toMatchObject({ run: 'r1', complete: true });
  await expect(exportOf(job, { accept: true, runId: 2 })).rejects.toMatchObject({
    message: 'r2 of leads has not finished; run the job again to continue',
  });
});

test('an accepted result loses the companies that its message counts, and no others', async () => {
  using folder = temporaryFolder();
  const reuse = { ...testJob().reuse, companiesMs: 0, staleOnFailureMs: 86_400_000 };
  const job = jobIn(folder.path, 30, { reuse });
  await run(job);
  const some: Answer = (call) =>
    JSON.stringify(call).includes('"site1') ? missed(call) : found(call);
  expect((await run(job, some)).exported.rows).toMatchObject({ matched: 30, stale: 11 });
  const [breach] = (await run(job, missed)).held ?? [];
  expect(breach?.message).toBe('vanished: 19 of 19 known companies were not found this time');
  const { exported } = await exportOf(job, { accept: true });
  expect(exported.rows).toMatchObject({ matched: 11, stale: 11, not_found: 19 });
});

test('a service that finds no company in a first run ends with 3, and its first misses are not reused', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path, 10), reuse: testJob().reuse };
  expect(await run(job, missed)).toMatchObject({ exitCode: 3, held: null });
  expect((await run(job, found)).counts).toMatchObject({
    rows: { matched: 10 },
    calls: { made: 10 },
  });
});

test('misses of a service that never finds a company are paid for twice, and no third time', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path, 12), reuse: testJob().reuse };
  const asked = [];
  for (let night = 1; night <= 4; night += 1)
    asked.push((await run(job, missed)).counts.calls.made);
  expect(asked).toEqual([12, 12, 0, 0]);
});
