import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLineBuffer } from '../../../src/results/lines.ts';
import { arbitraryText } from '../../core/columns/arbitrary-answer.ts';
import { memoryTarget } from '../sample-run.ts';

async function written(texts: readonly string[]): Promise<Buffer> {
  const target = memoryTarget();
  const lines = openLineBuffer(target);
  for (const text of texts) await lines.add(text);
  await lines.flush();
  return target.bytes();
}

test('lines become the bytes that they would be as one text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryText()), async (texts) => {
      const lines = texts.map((text) => `${text}\n`);
      expect(await written(lines)).toEqual(Buffer.from(lines.join('')));
    }),
  );
});

test('lines may be of any length and number', async () => {
  const long = ['a', 'é'.repeat(100_000), 'b', '“'.repeat(1_000_000), 'c'];
  const many = Array.from({ length: 3_000 }, (_, index) => `${index} é`.repeat(100));
  const lines = [...long, ...many, ...long];
  expect((await written(lines)).equals(Buffer.from(lines.join('')))).toBe(true);
});

test('memory that is being written is not filled with the next lines', async () => {
  const chunks: Buffer[] = [];
  const write = async (bytes: Uint8Array) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    chunks.push(Buffer.from(bytes));
  };
  const lines = openLineBuffer({ write });
  const texts = Array.from({ length: 40 }, (_, index) =>
    String.fromCharCode(65 + index).repeat(60_000),
  );
  for (const text of texts) await lines.add(text);
  await lines.flush();
  expect(Buffer.concat(chunks).toString()).toBe(texts.join(''));
});

test('a target that fails ends the writing', async () => {
  const write = async () => {
    throw new Error('disk full');
  };
  const lines = openLineBuffer({ write });
  await lines.add('a');
  await expect(lines.flush()).rejects.toThrow('disk full');
});
