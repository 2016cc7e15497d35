import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ResolvedJob } from '../../../src/job/resolved-job.ts';
import type { ExportSummary } from '../../../src/results/sink.ts';
import {
  type DestinationToWrite,
  writeDestinations,
} from '../../../src/run/export/write-destinations.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { manifestIn } from '../../support/manifest-in.ts';
import { answeredBy, companyOfDomain } from '../../support/run-parts.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { jobOver, testJob } from '../../support/test-job.ts';

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
