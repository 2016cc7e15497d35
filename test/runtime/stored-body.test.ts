import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswerJson, readBody, storeBody } from '../../src/runtime/stored-body.ts';

const bytes = fc.uint8Array({ maxLength: 2_000 }).map((array) => Buffer.from(array));

test('an answer comes back byte for byte, small or large', () => {
  fc.assert(
    fc.property(bytes, (body) => {
      expect(readBody(storeBody(body))?.equals(body)).toBe(true);
    }),
  );
  const large = Buffer.from(JSON.stringify({ id: 'c_1', text: 'again '.repeat(10_000) }));
  expect(storeBody(large).body.length).toBeLessThan(large.length / 10);
});

test('an answer with one flipped bit is no answer', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 2 }), fc.nat(), (text, place) => {
      const stored = storeBody(Buffer.from(text.padEnd(300)));
      const damaged = Buffer.from(stored.body);
      const bit = place % (damaged.length * 8);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const read = readBody({ ...stored, body: damaged });
      // Bits that decompression does not look at leave the answer as it was.
      expect(read === null || read.equals(Buffer.from(text.padEnd(300)))).toBe(true);
    }),
  );
});

test('a byte order mark is no part of an answer', () => {
  expect(readAnswerJson(Buffer.from('\uFEFF{"id":"é"}'))).toEqual({ id: 'é' });
});
