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
  ['https://u:p@lists.example/in/Leads%20M%C3%A4rz.csv.gz?sig=1/2.csv', 'leads-marz'],
  ['https://lists.example/', 'lists-example'],
  ['s3://lists/in/leads.parquet', 'leads'],
  [`${'a'.repeat(99)}.csv`, 'a'.repeat(64)],
])('%s gives the name %s', (path, name) => {
  expect(jobName(path)).toBe(name);
  expect(Job.shape.name.safeParse(name).success).toBe(true);
});
