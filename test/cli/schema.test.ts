import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { jobJsonSchema } from '../../src/job/job-schema.ts';

test('dossier schema prints the schema and nothing else', () => {
  const printed = execFileSync(process.execPath, [packagePath('src/main.ts'), 'schema']);
  expect(JSON.parse(printed.toString('utf8'))).toEqual(jobJsonSchema());
});
