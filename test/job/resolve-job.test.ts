import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Job, type JobInput } from '../../src/job/job-schema.ts';
import { type JobContext, resolveJob } from '../../src/job/resolve-job.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';

const minimal = { name: 'leads', input: { path: 'leads.csv' }, service: { url: 'embedded' } };

test('paths of a job begin at the job file, and defaults at the working directory', () => {
  expect(resolve(minimal)).toMatchObject({
    input: { path: '/jobs/leads.csv' },
    output: { path: '/home/nightly/output/leads' },
    ledger: '/home/nightly/output/ledger.db',
  });
  const placed = { ...minimal, output: { path: '../out/{date}' }, ledger: '/data/l.db' };
  expect(resolve(placed)).toMatchObject({ output: { path: '/out/{date}' }, ledger: '/data/l.db' });
});

test('flags come first, and their paths begin at the working directory', () => {
  const flags = {
    input: 'mine.csv',
    output: 'there',
    ledger: 'l.db',
    url: 'http://127.0.0.1:8080/',
    keyFile: 'key',
    rate: 'none',
    concurrency: '2',
    maxCalls: '0',
    limit: '5',
    format: ['csv,parquet', 'csv'],
  };
  const env = { DOSSIER_URL: 'https://env', DOSSIER_LEDGER: 'env.db', DOSSIER_API_KEY: 'k' };
  expect(
    resolve({ ...minimal, budget: { perStart: 9, perDay: 20 } }, { flags, env }),
  ).toMatchObject({
    input: { path: '/home/nightly/mine.csv', maxRows: 5 },
    output: { path: '/home/nightly/there', formats: ['csv', 'parquet'] },
    ledger: '/home/nightly/l.db',
    services: [{ url: 'http://127.0.0.1:8080', key: { from: 'file', path: '/home/nightly/key' } }],
    limits: { rate: 'none', concurrency: 2 },
    budget: { perStart: 0, perDay: 20, timezone: 'UTC' },
  });
});

test('the environment comes before the job, except for its ledger', () => {
  const env = { DOSSIER_URL: 'https://env', DOSSIER_LEDGER: 'env.db', DOSSIER_API_KEY: 's3cret' };
  const job = { ...minimal, service: { url: 'https://job', keyFile: 'key' }, ledger: 'job.db' };
  const resolved = resolve(job, { env });
  expect(resolved).toMatchObject({
    ledger: '/jobs/job.db',
    services: [{ url: 'https://env', key: { from: 'environment', name: 'DOSSIER_API_KEY' } }],
  });
  expect(JSON.stringify(resolved)).not.toContain('s3cret');
  expect(resolve(minimal, { env }).ledger).toBe('/home/nightly/env.db');
});

test.each<[string, JobInput['service'], unknown]>([
  ['the variable it names', { key: `\${PROD}` }, { from: 'environment', name: 'PROD' }],
  ['a file beside the job', { keyFile: 'key' }, { from: 'file', path: '/jobs/key' }],
  ['the usual variable', {}, { from: 'environment', name: 'DOSSIER_API_KEY' }],
])('a job takes its key from %s', (_, service, key) => {
  const job = { ...minimal, service: { url: 'https://job', ...(service as object) } };
  expect(resolve(job).services[0].key).toEqual(key);
});

test('names become ids, also names that the job defines, and none is searched twice', () => {
  const job: JobInput = {
    ...minimal,
    people: { seniority: ['executives', 3, 'Manager'], department: 2 },
    reference: { seniority: { 3: 'Executives' } },
  };
  const { people, reference } = resolve(job);
  expect(people?.searches).toEqual([
    { seniority: '3', department: '2', position: undefined },
    { seniority: '5', department: '2', position: undefined },
  ]);
  expect(reference.seniority).toMatchObject({ 3: 'Executives', 5: 'Manager' });
});

test('an address is the same service however it is spelt', () => {
  const urlOf = (url: string) => resolve({ ...minimal, service: { url } }).services[0].url;
  const spellings = ['https://api.example.com/v1', 'HTTPS://API.Example.com:443/v1//'];
  expect(spellings.map(urlOf)).toEqual(Array(2).fill('https://api.example.com/v1'));
  expect(urlOf('https://api.example.com/V1')).toBe('https://api.example.com/V1');
});

test('a job without a service is refused: sample data must not pass for answers', () => {
  const job = { ...minimal, service: {} };
  expect(() => resolve(job)).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }));
  expect(resolve(job, { env: { DOSSIER_URL: 'embedded' } }).services[0].url).toBe('embedded');
});

test('an invalid DOSSIER_URL is not repeated in the error', () => {
  const env = { DOSSIER_URL: 'https://u:s3cret@host' };
  expect(() => resolve(minimal, { env })).toThrow('DOSSIER_URL must be an http(s) URL');
  expect(() => resolve(minimal, { env })).not.toThrow('s3cret');
});

test('a list is never the ledger', () => {
  expect(() => resolve({ ...minimal, ledger: 'leads.csv' })).toThrow(
    'both the input and the ledger',
  );
});

function resolve(job: JobInput, context: Partial<JobContext> = {}): ResolvedJob {
  const loaded = {
    job: Job.parse(job),
    path: join('/jobs', 'a.yaml'),
    positionOf: () => undefined,
  };
  return resolveJob(loaded, { flags: {}, env: {}, cwd: '/home/nightly', ...context });
}

test('a job has a main folder and other destinations', () => {
  const postgres = 'postgres://host/db';
  const places = [{ path: 's3://bucket//x/', format: 'jsonl' }, { path: 'a' }, { postgres }];
  expect(resolve({ ...minimal, output: places })).toMatchObject({
    output: { path: expect.stringMatching(/\/a$/), formats: ['csv'] },
    otherDestinations: [
      { kind: 's3', path: 's3://bucket/x', formats: ['jsonl'] },
      { kind: 'postgres', schema: 'dossier' },
    ],
  });
  const flags = { output: 's3://other/x' };
  expect(resolve({ ...minimal, output: places }, { flags })).toMatchObject({
    output: { path: '/home/nightly/output/leads', isUnused: true, formats: ['jsonl'] },
    otherDestinations: [{ kind: 's3', path: 's3://other/x', formats: ['jsonl'] }],
  });
});

test.each([
  [[{ path: 'a' }, { path: './a/' }], 'a twice'],
  [[{ path: 's3://bucket/x' }, { path: 's3://bucket/x/' }], 's3://bucket/x twice'],
  [[{ postgres: 'postgres://host/db' }, { postgres: 'postgres://host/db' }], 'schema dossier'],
])('the same destination twice is refused: %j', (output, named) => {
  expect(() => resolve({ ...minimal, output })).toThrow(named);
});
