import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { describeApi, operationProblems } from '../../scripts/docs/openapi.ts';
import { problems } from '../../src/engine/providers/company-data/problem.ts';

const document = describeApi('1.2.3');

test('the OpenAPI document is valid by a published validator', async () => {
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  const result = await new Validator().validate(copy);
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
});

test('every error code has its own number and belongs to an operation or to the server', () => {
  const numbers = Object.values(problems).map(({ error }) => error);
  expect(new Set(numbers).size).toBe(numbers.length);
  const ofOperations = new Set<string>(Object.values(operationProblems).flat());
  const ofServer = ['URL_MALFORMED', 'PATH_UNKNOWN', 'METHOD_NOT_ALLOWED'];
  expect([...ofOperations, ...ofServer].sort()).toEqual(Object.keys(problems).sort());
});
