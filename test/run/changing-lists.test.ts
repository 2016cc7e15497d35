import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { DossierError } from '../../src/core/errors.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { planJob } from '../../src/run/plan-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import { answeredBy, companyOfDomain } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver, wholeList } from '../support/test-job.ts';
import { tableIn } from './nights.ts';

/** More than are stored in one go. */
const many = 5_200;
const sitesOf = (name: string) => Array.from({ length: many }, () => `${name}-test.com`);
const csvOf = (name: string) => ['website', ...sitesOf(name)].join('\n');

/** A run of which we see for what it asks. */
function askedFor() {
  const asked: string[] = [];
  const parts = answeredBy((call) => {
    if (call.operation === 'company') asked.push(call.identifier.value);
    return companyOfDomain(call);
  });
  return { ...parts, asked };
}

/** Runs the job. Each time its first rows are read, its list is replaced by one with the next name. */
async function runRewritten(job: ResolvedJob, replace: (name: string) => void, ...names: string[]) {
  const { asked, ...parts } = askedFor();
  const observer = {
    ...parts.observer,
    onIngest(rows: number) {
      if (rows !== 5_000) return;
      const name = names.shift();
      if (name !== undefined) replace(name);
    },
  };
  const ended = await runJob(job, { ...parts, observer }).catch((error: unknown) => error);
  return { ended, asked };
}

const inPlace: Record<string, (path: string, name: string) => void> = {
  'a list rewritten in place': (path, name) => writeFileSync(path, csvOf(name)),
  'a list replaced by another file': (path, name) => {
    writeFileSync(`${path}.new`, csvOf(name));
    renameSync(`${path}.new`, path);
  },
  'a Parquet list': (path, name) => {
    const columnData = [{ name: 'website', data: sitesOf(name), type: 'STRING' as const }];
    writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 1_000 })));
  },
};

test.each(Object.entries(inPlace))('%s while it is read is read again, whole', async (_, write) => {
  using folder = temporaryFolder();
  const job = jobOver(folder.path, []);
  write(job.input.path, 'first');
  const { ended, asked } = await runRewritten(job, (name) => write(job.input.path, name), 'second');
  expect(ended).toMatchObject({ isResumed: false, counts: { rows: { matched: many } } });
  expect(asked).toEqual(['second-test.com']);
});

test('a list that changes again is refused, and leaves no run behind', async () => {
  using folder = temporaryFolder();
  const job = jobOver(folder.path, sitesOf('first'));
  const write = (name: string) => writeFileSync(job.input.path, csvOf(name));
  const { ended, asked } = await runRewritten(job, write, 'second', 'third');
  expect(ended).toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('leads.csv changes while it is being read'),
  });
  expect(asked).toEqual([]);
  using ledger = openLedger(job.ledger);
  expect(ledger.runs.list()).toEqual([]);
});

test('a suppression list that changes while it is read is read again', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'suppress.csv');
  const one = (site: string) => Array.from({ length: 20_000 }, () => site).join('\n');
  writeFileSync(path, one('first-test.com'));
  const job = jobOver(folder.path, ['first-test.com', 'second-test.com'], {
    suppress: [path],
  });
  const planning = planJob(job, { clock: systemClock });
  await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(path, one('second-test.com'));
  const { rows } = await planning;
  expect(rows.suppressed).toBe(1);
});

/** Stops a run of two rows after its first answer. */
async function stopHalfWay(job: ResolvedJob) {
  const controller = new AbortController();
  const stopped = new DossierError('INTERRUPTED', 'enough');
  const parts = answeredBy(
    (call) => {
      controller.abort(stopped);
      return companyOfDomain(call);
    },
    { signal: controller.signal },
  );
  const limits = { ...job.limits, concurrency: 1 };
  await expect(runJob({ ...job, limits }, parts)).rejects.toBe(stopped);
}

async function finish(job: ResolvedJob) {
  const { asked, ...parts } = askedFor();
  return { ...(await runJob(job, parts)), asked };
}

test('a new list of the same size and time is looked up, not the unfinished one', async () => {
  using folder = temporaryFolder();
  const job = jobOver(folder.path, ['one-test.com', 'two-test.com']);
  const { atime, mtime } = statSync(job.input.path);
  await stopHalfWay(job);
  jobOver(folder.path, ['six-test.com', 'ten-test.com']);
  utimesSync(job.input.path, atime, mtime);
  const { isResumed, asked } = await finish(job);
  expect({ isResumed, asked }).toEqual({
    isResumed: false,
    asked: ['six-test.com', 'ten-test.com'],
  });
  const sites = tableIn(job, 'companies').map(({ identifier }) => identifier);
  expect(sites).toEqual(['six-test.com', 'ten-test.com']);
});

test('an unfinished run is resumed by content: saved again, moved, or gone from its path', async () => {
  using folder = temporaryFolder();
  const sites = ['one-test.com', 'two-test.com'];
  const job = jobOver(folder.path, sites);
  await stopHalfWay(job);
  const moved = { ...job, input: { ...wholeList, path: join(folder.path, 'moved.csv') } };
  const missing = { ...job, input: { ...wholeList, path: join(folder.path, 'leeds.csv') } };
  await expect(finish(missing)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
  renameSync(job.input.path, moved.input.path);
  expect(await planJob(moved, { clock: systemClock })).toMatchObject({
    resumed: { run: { id: 1 } },
  });
  rmSync(moved.input.path);
  const { isResumed, asked } = await finish(job);
  expect({ isResumed, asked }).toEqual({ isResumed: true, asked: ['two-test.com'] });
});
