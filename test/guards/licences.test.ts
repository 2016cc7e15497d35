import { expect, test } from 'vitest';
import { shippedDependencies } from '../../scripts/docs/licences.ts';

/** Licences that let anybody use the package in anything, with a notice at most. */
const welcome = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

test('whatever reaches a user may be used freely', () => {
  const dependencies = shippedDependencies();
  expect(dependencies.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['better-sqlite3', 'preact', 'undici']),
  );
  expect(dependencies.filter(({ license }) => !welcome.includes(license))).toEqual([]);
});
