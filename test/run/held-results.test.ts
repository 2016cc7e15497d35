import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { exportCommand, exportNotes, replacingText } from '../../src/cli/export.ts';
import { statusText } from '../../src/cli/status/status-text.ts';
import type { CallOutcome, CallRequest } from '../../src/contract/call.ts';
import { DossierError, type ErrorCode } from '../../src/errors.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import { lockJob } from '../../src/ledger/file/locks.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readStatus } from '../../src/overview/status/read-status.ts';
import { StatusJson } from '../../src/overview/status/status-json.ts';
import { type ExportRequest, exportJob } from '../../src/run/export-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { sampleData } from '../../src/runtime/sample-data.ts';
import type { Manifest } from '../../src/sinks/manifest.ts';
import { rendered } from '../support/rendered.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { terminal } from '../support/terminal.ts';
import { testJob } from '../support/test-job.ts';

type Answer = (call: CallRequest) => CallOutcome;

const facts = { attempts: 1, durationMs: 1 };
const found: Answer = (call) => {
  const fqdn = call.operation === 'company' ? call.identifier.value : '';
  const body = Buffer.from(JSON.stringify({ id: fqdn, fqdn }));
  return { kind: 'hit', status: 200, body, companyId: fqdn, ...facts };
};
const missed: Answer = () => ({ kind: 'miss', status: 404, body: Buffer.alloc(0), ...facts });
const stoppedBy = (code: ErrorCode): Answer => {
  return () => {
    throw new DossierError(code, 'enough');
  };
};

/** A job whose companies are asked for every time, in a folder of its own. */
function jobIn(folder: string, rows: number, changes: Partial<ResolvedJob> = {}): ResolvedJob {
  const path = join(folder, 'leads.csv');
  const sites = Array.from({ length: rows }, (_, row) => `site${row}.com.au`);
  writeFileSync(path, ['website', ...sites].join('\n'));
  return testJob({
    input: { path, options: {}, maxRows: undefined },
    output: { ...testJob().output, path: join(folder, 'output') },
    reuse: { ...testJob().reuse, companiesMs: 0, peopleMs: 0 },
    ledger: join(folder, 'ledger.db'),
    ...changes,
  });
}

const atLeast = (rows: number) => [Expect.shape.rows.unwrap().parse(`>= ${rows}`)];
const dropAtMost = (text: string) => [Expect.shape.rowsDrop.unwrap().parse(text)];

async function run(job: ResolvedJob, answer: Answer = found) {
  return await runJob(job, {
    openClient: async () => ({
      send: async (call) => answer(call),
      stop: () => {},
      [Symbol.asyncDispose]: async () => {},
    }),
    clock: systemClock,
    version: '0.0.0',
    signal: new AbortController().signal,
    observer: { onIngest() {}, onStart() {}, onProgress() {}, onExport() {} },
  });
}

const exportOf = (job: ResolvedJob, wanted: Partial<ExportRequest> = {}) =>
  exportJob(job, { version: '0', ownOutputs: [job.output.path], runId: undefined, ...wanted });

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;

test('drops are measured against what was published, not against what was held', async () => {
  using folder = temporaryFolder();
  const expect20 = { expect: dropAtMost('<= 20%') };
  expect((await run(jobIn(folder.path, 10, expect20))).held).toBeNull();
  expect((await run(jobIn(folder.path, 5, expect20))).held).toMatchObject([
    { message: expect.stringContaining('from 10 rows in r1 to 5') },
  ]);
  expect((await run(jobIn(folder.path, 4, expect20))).held).toMatchObject([
    { message: expect.stringContaining('from 10 rows in r1 to 4') },
  ]);
  expect((await run(jobIn(folder.path, 8, expect20))).held).toBeNull();
  expect((await run(jobIn(folder.path, 7, expect20))).held).toBeNull();
});

test('a result of sample data is no measure for a real service, but the other way round', async () => {
  using folder = temporaryFolder();
  const service = { url: sampleData, key: { from: 'nowhere' } } as const;
  const expect0 = { expect: dropAtMost('<= 0') };
  await run(jobIn(folder.path, 10, { ...expect0, service }));
  expect((await run(jobIn(folder.path, 5, expect0))).held).toBeNull();
  expect((await run(jobIn(folder.path, 4, { ...expect0, service }))).held).toHaveLength(1);
});

test('a night that asks anew for old misses alone is a good one', async () => {
  using folder = temporaryFolder();
  const reuse = { ...testJob().reuse, missesMs: 0, peopleMs: 0 };
  const job = jobIn(folder.path, 200, { reuse });
  const half: Answer = (call) =>
    /[02468]\.com/.test(call.operation === 'company' ? call.identifier.value : '')
      ? found(call)
      : missed(call);
  expect((await run(job, half)).counts.rows).toMatchObject({ matched: 100, not_found: 100 });
  const { counts, held } = await run(job, half);
  expect(counts.calls).toMatchObject({ called: 100, reused: 100 });
  expect(held).toBeNull();
});

test('an export leaves the places alone that a run under way will write, in a bucket, too', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 1);
  await run(job);
  const path = 's3://results/{job}';
  const remote: ResolvedJob = {
    ...job,
    output: { ...job.output, isLeftOut: true },
    otherPlaces: [{ ...job.output, kind: 's3', path }],
  };
  using _lock = lockJob(job.ledger, job.name);
  await expect(exportOf(remote, { ownOutputs: [path] })).rejects.toMatchObject({
    code: 'JOB_BUSY',
    message: expect.stringContaining('under way and will write s3://results/leads itself'),
  });
});

test('only the newest run can be accepted, and not while another is under way', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5, { expect: atLeast(10) });
  await run(job);
  await run(job);
  await expect(exportOf(job, { accept: true, runId: 1 })).rejects.toMatchObject({
    code: 'RUN_MISSING',
    message: 'r1 of leads is overtaken by r2, which is held, too',
  });
  {
    using _lock = lockJob(job.ledger, job.name);
    await expect(exportOf(job, { accept: true })).rejects.toMatchObject({ code: 'JOB_BUSY' });
  }
  const { run: accepted, exported } = await exportOf(job, { accept: true });
  expect(accepted).toMatchObject({ id: 2, held: null });
  expect(exported.folder).toBe(job.output.path);
  expect(manifestIn(job.output.path)).toMatchObject({ run: { id: 'r2' }, held: null });
  // The held result of the night before has gone with it.
  expect(existsSync(join(job.output.path, 'held-r1'))).toBe(false);
  await expect(exportOf(job, { accept: true, runId: 1 })).rejects.toMatchObject({
    message: 'r1 of leads is overtaken by a published run',
  });
});

test('an overtaken run is told as such, and only what works is advised', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5, { expect: atLeast(10) });
  const stream = terminal(79);
  await run(job);
  const first = await exportOf(job, { accept: true });
  expect(rendered(exportCommand, first)).toContain('Published; it was held because of rows:');
  await run(job);
  const waiting = await exportOf(job, { runId: 2 });
  expect(exportNotes(waiting, { job: 'job.yaml' }).join()).toContain('--accept');
  await run(jobIn(folder.path, 5));

  const overtaken = await exportOf(job, { runId: 2 });
  const notes = exportNotes(overtaken, { job: 'job.yaml' }).join();
  expect(notes).toContain('r3 has overtaken it: it cannot be accepted any more.');
  expect(notes).not.toContain('--accept');
  expect(exportCommand.json?.(overtaken)).toMatchObject({ overtakenBy: 'r3', accepted: null });
  const { status } = readStatus({ job: job.name, runs: 5, starts: 0, ledger: job.ledger });
  const text = stripVTControlCharacters(statusText(status, { isOneJob: true }, stream).join('\n'));
  expect(text).toMatch(/\nr2 +superseded, finished in /);
  expect(text).toMatch(
    /\nr1 +finished .*\n +accepted \d{4}-\d\d-\d\d \d\d:\d\d.*, after it was held\n/,
  );
  expect(text).not.toContain('--accept');
  expect(StatusJson.parse(status).jobs[0]?.runs).toMatchObject([
    { run: 'r3', state: 'finished', acceptedAt: null },
    { run: 'r2', state: 'superseded', acceptedAt: null },
    { run: 'r1', state: 'finished', acceptedAt: expect.any(String) },
  ]);
});

test('files of an older run take the place of newer ones only with a word', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  await run(job);
  await run(job);
  const told: string[] = [];
  const onReplace = (replaced: string, path: string) => {
    const { run: standing } = manifestIn(path);
    expect(standing.id).toBe(replaced);
    const given = { job: 'job.yaml', run: 1, output: 'look', ledger: 'l.db' };
    told.push(replacingText(replaced, path, given));
  };
  expect(exportCommand.json?.(await exportOf(job, { runId: 1, onReplace }))).toMatchObject({
    replaced: 'r2',
  });
  expect(told).toEqual([
    expect.stringMatching(
      / holds r2; these are the files of r1\. .*: dossier export job\.yaml --run r2 --output look --ledger l\.db/,
    ),
  ]);
  expect((await exportOf(job, { onReplace })).replaced).toBe(undefined);
  expect(manifestIn(job.output.path)).toMatchObject({ run: { id: 'r2' } });
  expect(told).toHaveLength(1);
});

test('a run that is held is written whole into a folder of its own, whatever fills in the path', async () => {
  using folder = temporaryFolder();
  const output = { ...testJob().output, path: join(folder.path, '{run}') };
  const job = jobIn(folder.path, 5, { expect: atLeast(10), output });
  const { exported } = await run(job);
  expect(exported.folder).toBe(join(folder.path, 'r1/held-r1'));
  expect(existsSync(join(folder.path, 'r1/manifest.json'))).toBe(false);
  expect((await exportOf(job, { accept: true })).exported.folder).toBe(join(folder.path, 'r1'));
});

test('what people have put beside a held result stays when it goes', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5, { expect: atLeast(10) });
  await run(job);
  const held = join(job.output.path, 'held-r1');
  writeFileSync(join(held, 'notes.txt'), 'look at row 3');
  // Not of this job, and not ours at all.
  const others = ['held-r99', 'held-by-me'].map((name) => join(job.output.path, name));
  for (const path of others) mkdirSync(path);
  await run({ ...job, expect: [] });
  expect(existsSync(join(held, 'companies.csv'))).toBe(false);
  expect(readFileSync(join(held, 'notes.txt'), 'utf8')).toBe('look at row 3');
  expect(others.every(existsSync)).toBe(true);
});

test.each<[ErrorCode, boolean]>([
  ['SERVICE_DOWN', true],
  ['QUOTA_SPENT', true],
  ['THROTTLED_TOO_LONG', true],
  ['KEY_REFUSED', true],
  ['JOB_REFUSED', false],
  ['INTERRUPTED', false],
  ['RUN_TAKEN', false],
])('after %s files are written: %s', async (code, isWritten) => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  await expect(run(job, stoppedBy(code))).rejects.toMatchObject({ code });
  expect(existsSync(join(job.output.path, 'manifest.json'))).toBe(isWritten);
  if (isWritten) expect(manifestIn(job.output.path)).toMatchObject({ complete: false });
});

test('trouble with the files of a stopped run does not hide why it was stopped', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  writeFileSync(job.output.path, 'a file, where the folder should be');
  await expect(run(job, stoppedBy('SERVICE_DOWN'))).rejects.toMatchObject({
    code: 'SERVICE_DOWN',
    message: expect.stringMatching(/^enough\. The files with what there is could not be written: /),
  });
  rmSync(job.output.path);
  expect((await run(job)).isResumed).toBe(true);
});

test('an export of a stopped run leaves a complete result where it is, too', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  await run(job);
  await expect(run(job, stoppedBy('INTERRUPTED'))).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const { isAside, exported } = await exportOf(job);
  expect(isAside).toBe(true);
  expect(exported.folder).toBe(join(job.output.path, 'held-r2'));
  expect(manifestIn(job.output.path)).toMatchObject({ run: { id: 'r1' }, complete: true });
  await expect(exportOf(job, { accept: true, runId: 2 })).rejects.toMatchObject({
    message: 'r2 of leads has not finished; run the job again to go on',
  });
});

test('a manifest of another version protects its result as well', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  mkdirSync(job.output.path);
  const manifest = join(job.output.path, 'manifest.json');
  writeFileSync(manifest, '{"complete": true, "written": "by another version"}');
  await expect(run(job, stoppedBy('KEY_REFUSED'))).rejects.toMatchObject({ code: 'KEY_REFUSED' });
  expect(readFileSync(manifest, 'utf8')).toContain('by another version');
  expect(manifestIn(join(job.output.path, 'held-r1'))).toMatchObject({ complete: false });
});

test('what stood for a call before a held miss stands again, and the miss after it is accepted', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 5);
  await run(job);
  using ledger = openLedger(job.ledger);
  const answers = () => [...ledger.calls.newestAnswers([1, 2, 3, 4, 5]).values()];
  const outcomes = () => answers().map(({ outcome }) => outcome);
  const before = answers();
  const { held } = await run({ ...job, expect: atLeast(10) }, missed);
  expect(held).toHaveLength(1);
  expect(answers()).toEqual(before);
  // Another run has asked for two of them in the meantime; what it was told is newer.
  await run(jobIn(folder.path, 2, { name: 'other' }), found);
  await exportOf(job, { accept: true });
  expect(outcomes()).toEqual(['hit', 'hit', 'miss', 'miss', 'miss']);
});
