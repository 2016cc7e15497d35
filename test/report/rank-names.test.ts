import { expect, test } from 'vitest';
import { rankBands, rankNames } from '../../src/report/rank-names.ts';

test('the most frequent come first, equal ones by name, the rest is told as a number', () => {
  const counted = {
    names: [
      ['b', 2],
      ['a', 2],
      ['d', 1],
      ['c', 5],
    ],
    others: 7,
  } as const;
  expect(rankNames(counted, 3)).toEqual({
    entries: [
      { name: 'c', count: 5 },
      { name: 'a', count: 2 },
      { name: 'b', count: 2 },
    ],
    otherNames: 1,
    otherCount: 8,
  });
});

test('bands are in the order of their numbers', () => {
  const names = ['1,001-5,000', '11-50', '10001+', 'unknown', '2-10'].map(
    (name) => [name, 1] as const,
  );
  const { entries } = rankBands({ names, others: 0 }, 9);
  expect(entries.map(({ name }) => name)).toEqual([
    ...['2-10', '11-50', '1,001-5,000', '10001+', 'unknown'],
  ]);
});
