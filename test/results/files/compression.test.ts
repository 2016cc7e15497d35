import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressions, compressStream } from '../../../src/results/lines.ts';
import { memoryTarget } from '../sample-run.ts';

const chunks = Array.from({ length: 50 }, (_, index) => Buffer.alloc(100_000, `${index} `));

test.each([
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
] as const)('%s gives back what went in', async (compress, decompress) => {
  const target = memoryTarget();
  const stream = compressStream(compressions[compress].open(), target.write);
  for (const chunk of chunks) await stream.write(chunk);
  await stream.end();
  expect(decompress(target.bytes()).equals(Buffer.concat(chunks))).toBe(true);
  expect(target.bytes().length).toBeLessThan(1_000_000);
});

test('an error of the target reaches the writer, which does not wait for ever', async () => {
  const sink = compressStream(compressions.gzip.open(), async () => {
    throw new Error('disk full');
  });
  const noise = () => Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i * 7919) % 251));
  const writeOn = async () => {
    for (let turn = 0; turn < 100; turn += 1) await sink.write(noise());
    await sink.end();
  };
  await expect(writeOn()).rejects.toThrow('disk full');
});
