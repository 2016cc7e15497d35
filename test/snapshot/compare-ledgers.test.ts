import { expect, test } from 'vitest';
import type { SnapshotNote } from '../../src/ledger/care/snapshot/snapshot-note.ts';
import { compareLedgers } from '../../src/snapshot/compare-ledgers.ts';
import { openSeed } from '../faults/support/seed.ts';

const local: SnapshotNote = {
  ...{ lineage: 'one', generation: 5, token: 'five', storedAt: 0, pendingToken: undefined },
  ...{ answersSince: 0, isAside: false, place: 's3://here' },
};
const stored = { lineage: 'one', generation: 5, token: 'five' };

test.each([
  ['neither is there', undefined, null, 'begin'],
  ['no snapshot was stored yet', local, null, 'go-on'],
  ['the disk is empty', undefined, stored, 'restore'],
  ['both are the same', local, stored, 'go-on'],
  ['the ledger has answers since', { ...local, answersSince: 3 }, stored, 'go-on'],
  [
    'another pod has stored a newer one',
    local,
    { ...stored, generation: 6, token: 'six' },
    'restore',
  ],
  [
    'another pod has, and the ledger has answers since',
    { ...local, answersSince: 3 },
    { ...stored, generation: 6, token: 'six' },
    'put-aside',
  ],
  [
    'the store took the last one, and its process died before it knew',
    { ...local, answersSince: 3, pendingToken: 'six' },
    { ...stored, generation: 6, token: 'six' },
    'settle',
  ],
  ['two have stored the same generation', local, { ...stored, token: 'other' }, 'put-aside'],
  ['the store was put back', local, { ...stored, generation: 4, token: 'four' }, 'go-on'],
  ['the snapshot is of another ledger', local, { ...stored, lineage: 'two' }, 'put-aside'],
  ['the ledger is kept elsewhere', { ...local, place: 's3://there' }, null, 'go-on'],
  [
    'the ledger is kept elsewhere, and its snapshot was copied here',
    { ...local, place: 's3://there' },
    stored,
    'go-on',
  ],
  [
    'the ledger is kept elsewhere, and there is another one here',
    { ...local, place: 's3://there' },
    { ...stored, generation: 4, token: 'four' },
    'elsewhere',
  ],
  [
    'the snapshot is of another ledger, and this one is empty',
    { ...local, generation: 0, token: '' },
    { ...stored, lineage: 'two' },
    'restore',
  ],
] as const)('where %s', (_, here, there, comparison) => {
  expect(compareLedgers(here, there, 's3://here')).toBe(comparison);
});

test('no ledger with an answer of its own is ever replaced unless the snapshot has all of it', () => {
  const seed = openSeed(1);
  for (let round = 0; round < 20_000; round += 1) {
    const here = {
      ...local,
      lineage: seed.pick(['one', 'two']),
      generation: seed.random(4),
      token: seed.pick(['a', 'b', 'c']),
      pendingToken: seed.pick(['a', 'b', 'c', undefined]),
      answersSince: seed.random(2),
    };
    const there = {
      lineage: seed.pick(['one', 'two']),
      generation: 1 + seed.random(3),
      token: seed.pick(['a', 'b', 'c']),
    };
    if (compareLedgers(here, there, 's3://here') !== 'restore') continue;
    const isOwnPast = here.lineage === there.lineage && here.generation < there.generation;
    const isEmpty = here.generation === 0 && here.answersSince === 0;
    if (here.answersSince > 0 || !(isOwnPast || isEmpty))
      throw new Error(JSON.stringify({ here, there }));
  }
});
