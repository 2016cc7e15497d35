import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeLines } from '../../../src/sinks/lines/encode-lines.ts';
import { arbitraryText } from '../../records/flatten/arbitrary-answer.ts';

test('lines become the bytes that they would be as one text', () => {
  const texts = fc.array(arbitraryText().map((text) => `${text}\n`));
  fc.assert(
    fc.property(texts, (lines) => {
      const { rows, bytes } = encodeLines(lines);
      expect(rows).toBe(lines.length);
      expect(Buffer.from(bytes)).toEqual(Buffer.from(lines.join('')));
    }),
  );
});

test('the bytes of a batch have memory of their own, which can move to another thread', () => {
  const { bytes } = encodeLines(['a\n', 'é\n']);
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});
