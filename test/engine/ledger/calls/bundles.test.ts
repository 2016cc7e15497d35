import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BundledBody,
  bodyIn,
  bundleBodies,
  unpackBundle,
} from '../../../../src/engine/ledger/calls/bodies.ts';

function bodyOf({ bundle, ...place }: BundledBody): Buffer | null {
  const plain = unpackBundle(bundle);
  return plain && bodyIn(plain, place);
}

const body = fc.uint8Array({ maxLength: 2_000 }).map((array) => Buffer.from(array));

test('answers come back byte for byte, small or large, few or many', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 40 }), (bodies) => {
      expect(bundleBodies(bodies).map(bodyOf)).toEqual(bodies);
    }),
  );
});

test('an answer with one flipped bit is no answer', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 2 }), fc.nat(), (text, place) => {
      const bodies = [text, text.padEnd(300)].map((one) => Buffer.from(one));
      const damaged = bundleBodies(bodies).map(({ bundle, ...kept }) => {
        const bytes = Buffer.from(bundle.bytes);
        const bit = place % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return { ...kept, bundle: { ...bundle, bytes } };
      });
      // Bits that decompression does not look at, or of another answer, leave it as it was.
      for (const [index, kept] of damaged.entries()) {
        const read = bodyOf(kept);
        expect(read === null || read.equals(bodies[index] ?? Buffer.alloc(0))).toBe(true);
      }
    }),
  );
});

test('a damaged bundle gets no more memory than its answers had', () => {
  const [kept] = bundleBodies([Buffer.alloc(50_000, 'a')]);
  if (!kept) throw new Error('nothing was bundled');
  expect(bodyOf(kept)?.length).toBe(50_000);
  expect(bodyOf({ ...kept, bundle: { ...kept.bundle, plainLength: 49_999 } })).toBeNull();
});
