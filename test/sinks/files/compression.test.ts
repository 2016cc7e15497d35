import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressInto } from '../../../src/sinks/files/compression.ts';
import { memoryTarget } from '../sample-run.ts';

const chunks = Array.from({ length: 50 }, (_, index) => Buffer.alloc(100_000, `${index} `));

test.each([
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
] as const)('%s gives back what went in', async (compress, decompress) => {
  const target = memoryTarget();
  const sink = compressInto(target, compress);
  for (const chunk of chunks) await sink.write(chunk);
  const { bytes } = await sink.seal();
  expect(decompress(target.bytes()).equals(Buffer.concat(chunks))).toBe(true);
  expect(bytes).toBe(target.bytes().length);
  expect(bytes).toBeLessThan(1_000_000);
});

test('without compression the target is written itself', () => {
  const target = memoryTarget();
  expect(compressInto(target, 'none')).toBe(target);
});

test('an error of the target reaches the writer, which does not wait for ever', async () => {
  const target = {
    ...memoryTarget(),
    write: async () => {
      throw new Error('disk full');
    },
  };
  const sink = compressInto(target, 'gzip');
  const noise = () => Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i * 7919) % 251));
  const writeOn = async () => {
    for (let turn = 0; turn < 100; turn += 1) await sink.write(noise());
    await sink.seal();
  };
  await expect(writeOn()).rejects.toThrow('disk full');
});
