import { expect, test } from 'vitest';
import { readPeoplePage } from '../../../../src/engine/providers/company-data/people-page.ts';

const people = [{ person_id: 'p1' }];

test.each(['records', 'results', 'people', 'data', 'items'])('%s may hold the page', (wrapper) => {
  expect(readPeoplePage({ success: true, [wrapper]: people })).toEqual({ people });
});

test.each([
  ['12', 12],
  [-1, undefined],
  ['many', undefined],
  [null, undefined],
])('a total of %j is read as %j', (total, read) => {
  expect(readPeoplePage({ total, records: people })?.total).toBe(read);
});
