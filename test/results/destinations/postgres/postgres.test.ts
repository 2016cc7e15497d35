import { expect, test } from 'vitest';
import { postgresAddress, secretAddress } from '../../../../src/job/read-address.ts';
import { createDestination } from '../../../../src/results/destinations/create-destination.ts';
import { factsOf } from './load-sample.ts';

test.each([
  ['is held', { held: [] }],
  ['is incomplete', { complete: false }],
  ['is a trial run of the first rows of the list', { limit: 2 }],
])('a result is not loaded when it %s', (why, facts) => {
  const address = secretAddress('postgres://127.0.0.1:1/db', 'output', postgresAddress);
  const { whyLeftOut, name } = createDestination({ kind: 'postgres', address, schema: 'none' });
  expect(name).toBe('postgres://127.0.0.1:1/db, schema none');
  expect(whyLeftOut(factsOf(2, facts))).toBe(`The result of r2 was not loaded, because it ${why}.`);
});
