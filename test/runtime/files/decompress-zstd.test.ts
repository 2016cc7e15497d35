import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decompressZstd } from '../../../src/runtime/files/decompress-zstd.ts';

test('frames follow each other without loss, wherever the chunks are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ minLength: 1, maxLength: 3_000 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 900 }),
      fc.boolean(),
      async (texts, chunkBytes, isSlow) => {
        const frames = Buffer.concat(texts.map((text) => zstdCompressSync(text)));
        const plain = await Array.fromAsync(decompressZstd(cut(frames, chunkBytes, isSlow)));
        expect(Buffer.concat(plain).toString()).toBe(Buffer.from(texts.join('')).toString());
      },
    ),
  );
});

async function* cut(bytes: Buffer, chunkBytes: number, isSlow: boolean): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (isSlow) await new Promise((resolve) => setImmediate(resolve));
    yield bytes.subarray(at, at + chunkBytes);
  }
}
