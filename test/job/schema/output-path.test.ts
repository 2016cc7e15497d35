import { expect, test } from 'vitest';
import { outputPath } from '../../../src/job/schema/fields.ts';

test.each([
  ['out/{date}/{run}/{job}', true],
  ['out', true],
  ['out/{day}', false],
  ['out/{date', false],
  ['out/{table}', false],
  ['s3://enriched', true],
  ['s3://enriched/{job}/{date}/{run}', true],
  ['s3://enriched/{table}', false],
  ['s3://enriched/{day}', false],
  ['s3://{job}/x', false],
  ['s3://', false],
  ['s3://user:word@enriched/x', false],
  ['s3://enriched/x?versionId=1', false],
  ['gs://enriched/x', false],
  ['https://enriched.example/x', false],
])('%s is an output path: %s', (path, isOne) => {
  expect(outputPath().safeParse(path).success).toBe(isOne);
});
