import { expect, test } from 'vitest';
import { jobFingerprint } from '../../src/job/job-fingerprint.ts';
import { Job, type JobInput } from '../../src/job/job-schema.ts';
import { type JobContext, resolveJob } from '../../src/job/resolve-job.ts';

const job: JobInput = {
  name: 'leads',
  service: { url: 'https://service' },
  input: { path: 'leads.csv' },
  people: { seniority: ['C-Suite'] },
};

test.each<[string, JobInput, Partial<JobContext>]>([
  ['another folder', job, { cwd: '/elsewhere', env: { DOSSIER_LEDGER: 'x.db' } }],
  ['another key', { ...job, service: { url: 'https://service', keyFile: 'k' } }, {}],
  [
    'the provider it has anyway',
    { ...job, service: { ...(job.service as object), adapter: 'company-data' } },
    {},
  ],
  ['a shared one', { ...job, service: { ...(job.service as object), share: 'redis://host' } }, {}],
  ['other limits', { ...job, limits: { rate: 1, timeout: '1s' }, budget: { perStart: 5 } }, {}],
  ['another place beside the first', { ...job, output: [{}, { path: 's3://bucket/x' }] }, {}],
  ['another output folder', { ...job, output: { path: 'x/{date}' } }, {}],
  ['an id for a name', { ...job, people: { seniority: 3 } }, {}],
  ['a default that is written out', { ...job, country: 'AU', reuse: { misses: '168h' } }, {}],
])('%s is the same job', (_, changed, context) => {
  expect(fingerprint(changed, context)).toBe(fingerprint(job));
});

test.each<[string, JobInput, Partial<JobContext>]>([
  ['another service', job, { flags: { url: 'embedded' } }],
  ['another country', { ...job, country: 'NZ' }, {}],
  ['another column', { ...job, identify: [{ column: 'abn' }] }, {}],
  ['other people', { ...job, people: { seniority: 4 } }, {}],
  ['no people', { ...job, people: undefined }, {}],
  ['answers of any age', { ...job, reuse: { companies: 'forever' } }, {}],
  ['fewer rows', job, { flags: { limit: '5' } }],
  ['another format', { ...job, output: { format: 'jsonl' } }, {}],
])('%s makes it another job', (_, changed, context) => {
  expect(fingerprint(changed, context)).not.toBe(fingerprint(job));
});

function fingerprint(given: JobInput, context: Partial<JobContext> = {}): string {
  const loaded = { job: Job.parse(given), path: 'jobs/a.yaml', positionOf: () => undefined };
  return jobFingerprint(
    resolveJob(loaded, { flags: {}, env: {}, cwd: '/home/nightly', ...context }),
  );
}
