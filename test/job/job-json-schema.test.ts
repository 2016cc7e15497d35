import { expect, test } from 'vitest';
import { jobFields, jobJsonSchema } from '../../src/job/job-schema.ts';

test('editors get a schema with a dialect, a title and no wrapping reference', () => {
  expect(jobJsonSchema()).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Dossier job file',
    type: 'object',
    required: ['name', 'input'],
    additionalProperties: false,
  });
});

test.each(jobFields())('$key is described for the person who fills it in', ({ field }) => {
  expect(field.description).toMatch(/^[A-Z`].{10,}[.]$/);
});
