import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { jobJsonSchema } from '../../src/job/job-schema.ts';
import { packagePath } from '../../src/runtime/package-path.ts';

test('dossier schema prints the schema and nothing else', () => {
  const printed = execFileSync(process.execPath, [packagePath('src/main.ts'), 'schema']);
  expect(JSON.parse(printed.toString('utf8'))).toEqual(jobJsonSchema());
});
