import { expect, test } from 'vitest';
import { jobForFile } from '../../../src/job/from-list/job-for-file.ts';
import { Job } from '../../../src/job/job-schema.ts';

test('the job for a list has the name of the file, the detected columns, and defaults', () => {
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

test('columns that the schema refuses are refused', () => {
  expect(() => jobForFile('leads.csv', { identify: [] })).toThrow(
    expect.objectContaining({ code: 'JOB_INVALID', message: expect.stringContaining('identify') }),
  );
});
