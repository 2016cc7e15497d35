import { expect, test } from 'vitest';
import { isJobPath, jobForFile, jobName } from '../../src/job/job-for-file.ts';
import { Job } from '../../src/job/job-schema.ts';

test('a bare file is a job with its own name, the columns that were found, and defaults', () => {
  const { job, path } = jobForFile('lists/Leads 2026.csv', {
    identify: [{ column: 'ABN', as: 'abn' }],
    country: { column: 'Country' },
  });
  expect(path).toBeUndefined();
  expect(job).toEqual(
    Job.parse({
      name: 'leads-2026',
      input: { path: 'lists/Leads 2026.csv' },
      identify: [{ column: 'ABN', as: 'abn' }],
      country: { column: 'Country', default: 'AU' },
    }),
  );
});

test('columns that the schema refuses are refused here too', () => {
  expect(() => jobForFile('leads.csv', { identify: [] })).toThrow(
    expect.objectContaining({ code: 'JOB_INVALID', message: expect.stringContaining('identify') }),
  );
});

test.each([
  ['leads.csv', 'leads'],
  ['/data/Leads März (final).csv.gz', 'leads-marz-final'],
  ['acme.com.au.jsonl.zst', 'acme-com-au'],
  ['-', 'standard-input'],
  ['.csv', 'list'],
  ['会社.csv', 'list'],
  [`${'a'.repeat(99)}.csv`, 'a'.repeat(64)],
])('%s gives the name %s', (path, name) => {
  expect(jobName(path)).toBe(name);
  expect(Job.shape.name.safeParse(name).success).toBe(true);
});

test.each([
  ['jobs/a.yaml', true],
  ['A.YML', true],
  ['leads.csv', false],
  ['-', false],
  ['yaml', false],
])('%s is a job file: %s', (path, isJob) => expect(isJobPath(path)).toBe(isJob));
