import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeLines } from '../../../src/sinks/lines/encode-lines.ts';
import { arbitraryText } from '../../records/flatten/arbitrary-answer.ts';

const toLine = ([text]: readonly unknown[]) => `${text}\n`;

test('records become the bytes that their lines would be as one text', () => {
  fc.assert(
    fc.property(fc.array(arbitraryText()), (texts) => {
      const { rows, bytes } = encodeLines(
        texts.map((text) => [text]),
        toLine,
      );
      expect(rows).toBe(texts.length);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(texts.map((text) => `${text}\n`).join('')));
    }),
  );
});

test('lines may be of any length', () => {
  const texts = ['a', 'é'.repeat(100_000), 'b', '“'.repeat(1_000_000), 'c'];
  const { bytes } = encodeLines(
    texts.map((text) => [text]),
    toLine,
  );
  expect(Buffer.from(bytes).toString()).toBe(`${texts.join('\n')}\n`);
});

test('the bytes of a batch have memory of their own, which can move to another thread', () => {
  const { bytes } = encodeLines([['a'], ['é']], toLine);
  const moved = structuredClone(bytes, { transfer: [bytes.buffer] });
  expect(Buffer.from(moved).toString()).toBe('a\né\n');
  expect(bytes.length).toBe(0);
});
