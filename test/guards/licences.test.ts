import { expect, test } from 'vitest';
import { shippedDependencies } from '../../scripts/docs/licences.ts';

/** Permissive licences, which require a notice at most. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

test('every shipped package has a free licence', () => {
  const dependencies = shippedDependencies();
  expect(dependencies.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['@aws-sdk/client-s3', 'better-sqlite3', 'pg', 'preact', 'undici']),
  );
  expect(dependencies.filter(({ license }) => !allowed.includes(license))).toEqual([]);
});
