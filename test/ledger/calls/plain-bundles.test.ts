import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openPlainBundles } from '../../../src/ledger/calls/bodies.ts';

const bundle = fc.record({
  id: fc.nat(12),
  plain: fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes)),
});

test('what is kept is as it was put, whatever came after it', () => {
  fc.assert(
    fc.property(fc.array(bundle), (bundles) => {
      const shelf = openPlainBundles(100);
      const known = new Map<number, Buffer>();
      for (const { id, plain } of bundles) {
        const last = known.get(id) ?? plain;
        // A bundle never changes, so it is put again only when it is gone.
        if (shelf.get(id) === undefined) expect(shelf.put(id, last).equals(last)).toBe(true);
        known.set(id, last);
        for (const [one, bytes] of known) {
          const found = shelf.get(one);
          if (found) expect(found.equals(bytes)).toBe(true);
        }
      }
    }),
  );
});

test('the last ones are at hand, and a large one pushes nobody out', () => {
  const shelf = openPlainBundles(100);
  for (let id = 1; id <= 30; id += 1) shelf.put(id, Buffer.alloc(10, id));
  shelf.put(31, Buffer.alloc(101));
  const atHand = Array.from({ length: 31 }, (_, index) => index + 1).filter((id) => shelf.get(id));
  expect(atHand).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
});
