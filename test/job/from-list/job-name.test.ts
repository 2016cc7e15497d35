import { expect, test } from 'vitest';
import { jobName } from '../../../src/job/from-list/job-name.ts';
import { Job } from '../../../src/job/job-schema.ts';

test.each([
  ['leads.csv', 'leads'],
  ['/data/Leads März (final).csv.gz', 'leads-marz-final'],
  ['acme.com.au.jsonl.zst', 'acme-com-au'],
  ['-', 'standard-input'],
  ['.csv', 'list'],
  ['会社.csv', 'list'],
  ['Leads.xlsx', 'leads'],
  ['output/Leads/rejects.csv', 'leads-rejects'],
  ['rejects.csv', 'rejects'],
  [`${'a'.repeat(99)}.csv`, 'a'.repeat(64)],
])('%s gives the name %s', (path, name) => {
  expect(jobName(path)).toBe(name);
  expect(Job.shape.name.safeParse(name).success).toBe(true);
});
