import { expect, test } from 'vitest';
import { jobJsonSchema } from '../../src/job/job-schema.ts';
import { runDossier } from '../support/run-dossier.ts';

test('dossier schema prints the schema and nothing else', async () => {
  expect(JSON.parse((await runDossier(['schema'])).stdout)).toEqual(jobJsonSchema());
});
