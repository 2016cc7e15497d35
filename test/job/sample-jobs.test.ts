import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadJob } from '../../src/job/load-job.ts';
import { resolveJob } from '../../src/job/resolve-job.ts';
import { packagePath } from '../../src/platform/package-path.ts';

const files = readdirSync(packagePath('jobs')).filter((name) => name.endsWith('.yaml'));

test.each(files)('%s is valid, runs offline and is named after its file', (file) => {
  const loaded = loadJob(packagePath('jobs', file), {});
  const job = resolveJob(loaded, { flags: {}, env: {}, cwd: packagePath() });
  expect(`${job.name}.yaml`).toBe(file);
  expect(job.services[0]).toMatchObject({ url: 'embedded', key: { from: 'nowhere' } });
  expect(job.input.path).toContain(packagePath('fixtures', 'leads'));
  expect(job.ledger).toContain(join(packagePath('output'), '/'));
  expect(job.output.path).toContain(join(packagePath('output'), '/'));
});
