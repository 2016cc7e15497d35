import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobFileReference } from '../../scripts/docs/job-file.ts';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { jobKeys } from '../../src/job/job-schema.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('docs/job-file.md is what the schema says; `npm run docs` writes it anew', () => {
  expect(readFileSync(packagePath('docs/job-file.md'), 'utf8')).toBe(jobFileReference());
});

test('every key has its line in the reference', () => {
  // Where one or a list may be given, the line is that of the one.
  const keys = jobKeys().filter(
    (key) => !jobKeys().includes(key.replace('[]', '')) || !key.includes('[]'),
  );
  const reference = jobFileReference();
  for (const key of keys) expect(reference).toContain(`| \`${key}\` |`);
});

test('the job in the reference is a job', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  const [, example = ''] = /```yaml\n(name: [\s\S]*?)```/.exec(jobFileReference()) ?? [];
  writeFileSync(path, example);
  expect(loadJob(path, {}).job.name).toBe('lead-list');
});
