import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobFileReference } from '../../scripts/docs/job-file.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('the job in the reference is a job', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.yaml');
  const [, example = ''] = /```yaml\n(name: [\s\S]*?)```/.exec(jobFileReference()) ?? [];
  writeFileSync(path, example);
  expect(loadJob(path, {}).job.name).toBe('lead-list');
});
