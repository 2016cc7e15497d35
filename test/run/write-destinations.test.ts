import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ResolvedJob } from '../../src/job/resolve-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import type { ExportSummary } from '../../src/results/sink.ts';
import { runJob } from '../../src/run/run-job.ts';
import { type DestinationToWrite, writeDestinations } from '../../src/run/write-destinations.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { answeredBy, companyOfDomain } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver, testJob } from '../support/test-job.ts';
import { exportOf } from './nights.ts';

/** A job with a folder of CSV, and another one of JSON lines with two columns. */
function jobIn(folder: string, rows: number, changes: Partial<ResolvedJob> = {}): ResolvedJob {
  const { output } = testJob();
  const sites = Array.from({ length: rows }, (_, row) => `site${row}.com.au`);
  return jobOver(folder, sites, {
    output: { ...output, path: join(folder, 'first') },
    otherDestinations: [
      {
        kind: 'folder',
        ...output,
        path: join(folder, 'second/{job}'),
        formats: ['jsonl'],
        columns: ['row_key', 'company_fqdn'],
      },
    ],
    ...changes,
  });
}

const run = (job: ResolvedJob, answer = companyOfDomain) => runJob(job, answeredBy(answer));

test('each folder has its own formats and columns, and unchanged files are not rewritten', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 3);
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second/leads')];
  const { exported } = await run(job);
  expect(exported).toMatchObject({ folder: first, unreached: undefined });
  expect(exported.destinations.map(({ kind, address }) => [kind, address])).toEqual([
    ['folder', first],
    ['folder', second],
  ]);
  expect(readdirSync(first).sort()).toEqual([
    'changes.csv',
    'companies.csv',
    'manifest.json',
    'rejects.csv',
  ]);
  const lines = readFileSync(join(second, 'companies.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual(
    Array(3).fill(['row_key', 'company_fqdn']),
  );
  expect(manifestIn(first).form).not.toBe(manifestIn(second).form);

  const before = statSync(join(second, 'companies.jsonl'));
  rmSync(join(first, 'rejects.csv'));
  const again = await run(job);
  const unchanged = again.exported.destinations.map(({ summary }) => summary?.unchanged);
  expect(unchanged).toEqual([
    ['companies.csv', 'changes.csv'],
    ['companies.jsonl', 'rejects.jsonl', 'changes.jsonl'],
  ]);
  expect(statSync(join(second, 'companies.jsonl')).ino).toBe(before.ino);
  expect(existsSync(join(first, 'rejects.csv'))).toBe(true);
});

test('a held result and a try lie aside in every folder, and are accepted in every one', async () => {
  using folder = temporaryFolder();
  const expected = { expect: [Expect.shape.matchRate.unwrap().parse('> 100%')] };
  const folders = [join(folder.path, 'first'), join(folder.path, 'second/leads')];
  const job = jobIn(folder.path, 6, expected);
  await run({ ...job, expect: [] });
  const night = await run(jobIn(folder.path, 4, expected));
  expect(night.exitCode).toBe(4);
  for (const place of folders) {
    expect(manifestIn(place).run).toBe('r1');
    expect(manifestIn(join(place, 'held-r2'))).toMatchObject({ run: 'r2' });
  }
  await exportOf(job, { accept: true });
  for (const place of folders) {
    expect(manifestIn(place)).toMatchObject({ run: 'r2', held: null });
    expect(existsSync(join(place, 'held-r2'))).toBe(false);
  }
  await run({ ...job, input: { ...job.input, maxRows: 2 } });
  for (const place of folders) {
    expect(manifestIn(join(place, 'try')).rows.total).toBe(2);
    expect(manifestIn(place).run).toBe('r2');
  }
});

test('a folder that cannot be written fails the run before another one is changed', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, 3);
  mkdirSync(join(folder.path, 'second'));
  const blockSecond: typeof companyOfDomain = (call) => {
    writeFileSync(join(folder.path, 'second/leads'), 'a file, where the folder should be');
    return companyOfDomain(call);
  };
  await expect(run(job, blockSecond)).rejects.toMatchObject({ code: 'OUTPUT_TROUBLE' });
  expect(readdirSync(join(folder.path, 'first'))).toEqual([]);

  rmSync(join(folder.path, 'second/leads'));
  const { exitCode, isResumed } = await run(job, () => {
    throw new Error('asked again');
  });
  expect({ exitCode, isResumed }).toEqual({ exitCode: 0, isResumed: true });
  expect(manifestIn(join(folder.path, 'second/leads')).run).toBe('r1');
});

test('no store is awaited between a prepared load and its COMMIT', async () => {
  const steps: string[] = [];
  const place = (kind: DestinationToWrite['kind']): DestinationToWrite => ({
    kind,
    name: kind,
    stage: ({ folder: 'local', s3: 'remote', postgres: 'locking' } as const)[kind],
    address: kind,
    async prepare() {
      steps.push(`prepare ${kind}`);
      const commit = async () => {
        steps.push(`show ${kind}`);
        return {} as ExportSummary;
      };
      return { commit, abort: async () => {} };
    },
  });
  const written = await writeDestinations([place('postgres'), place('s3'), place('folder')]);
  expect(steps).toEqual([
    ...['prepare folder', 'prepare s3', 'prepare postgres'],
    ...['show folder', 'show postgres', 'show s3'],
  ]);
  expect(written.map(({ kind }) => kind)).toEqual(['postgres', 's3', 'folder']);
});
