import { expect, test } from 'vitest';
import { otherWords } from '../../../src/job/file/describe-issue.ts';
import { jobKeys } from '../../../src/job/job-schema.ts';
import { parseJob } from '../../../src/job/load-job.ts';

test.each([
  ['servcie: {}', 'service'],
  ['rate: 1', 'limits.rate'],
  ['max_calls: 1', 'budget.perStart'],
  ['limits: {maxCalls: 1}', 'budget.perStart'],
  ['concurency: 1', 'limits.concurrency'],
  ['limits: {Rate: 1}', 'limits.rate'],
  ['limits: {retries: 1}', 'limits.attempts'],
  ['identify: [{colum: x}]', 'identify[].column'],
  ['people: {titles: x}', 'people.position'],
  ['service: {api-key: x}', 'service.key'],
])('%s probably means %s', (line, meant) => {
  expect(() => parseJob('job.yaml', line, {})).toThrow(`unknown key; did you mean "${meant}"?`);
});

test('where no key is meant, those of the group are named', () => {
  expect(() => parseJob('job.yaml', 'reuse: {frobnicate: 1}', {})).toThrow(
    'expected one of reuse.companies, reuse.misses, reuse.people, reuse.spread, reuse.staleOnFailure',
  );
});

test('keys of other tools lead to keys that exist, and are no keys of a job', () => {
  const keys = jobKeys();
  for (const [word, key] of Object.entries(otherWords)) {
    expect(keys).toContain(key);
    expect(keys.map((known) => known.split('.').at(-1)?.toLowerCase())).not.toContain(word);
  }
});
