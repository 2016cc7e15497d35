import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { type Lists, packRowIds, unpackRowIds } from '../../../../src/engine/ledger/rows/lists.ts';

const ids = fc.array(fc.integer({ min: 1, max: 2 ** 30 }), { maxLength: 50 });

test('ids of rows whose bytes have changed are refused', () => {
  const flip = fc.record({ at: fc.nat(), bit: fc.nat(7) });
  fc.assert(
    fc.property(ids, flip, (given, { at, bit }) => {
      const packed = packRowIds(given);
      packed[at % packed.length] = (packed[at % packed.length] ?? 0) ^ (1 << bit);
      // Some bits of a frame say nothing about what it holds.
      expect([undefined, given]).toContainEqual(unpackedOrNot(packed));
    }),
    { numRuns: 100 },
  );
});

function unpackedOrNot(packed: Buffer): number[] | undefined {
  try {
    return unpackRowIds(packed);
  } catch {
    return undefined;
  }
}

function store(lists: Lists, blocks: readonly (readonly number[])[]): number {
  const listId = lists.begin();
  let firstNumber = 1;
  for (const rowIds of blocks) {
    lists.addBlock(listId, { firstNumber, rowIds });
    firstNumber += rowIds.length;
  }
  return lists.complete(listId);
}

test('a list gives its rows in their order', () => {
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 4 }), (blocks) => {
      using ledger = openLedger(':temporary:');
      const listId = store(ledger.lists, blocks);
      const all = blocks.flat();
      expect(ledger.lists.size(listId)).toBe(all.length);
      const read = [...ledger.lists.blocks(listId)];
      expect(read.flatMap(({ rowIds }) => rowIds)).toEqual(all);
      for (const { firstNumber, rowIds } of read) {
        expect(all.slice(firstNumber - 1, firstNumber - 1 + rowIds.length)).toEqual(rowIds);
      }
    }),
    { numRuns: 30 },
  );
});
