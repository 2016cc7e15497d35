import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packRowIds, unpackRowIds } from '../../../../src/engine/ledger/rows/lists.ts';

const ids = fc.array(fc.integer({ min: 1, max: 2 ** 30 }), { maxLength: 50 });

test('row ids with changed bytes are refused', () => {
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
