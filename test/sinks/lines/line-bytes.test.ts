import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLineBytes } from '../../../src/sinks/lines/line-bytes.ts';
import { arbitraryText } from '../../records/flatten/arbitrary-answer.ts';

test('lines become the bytes that they would be as one text', () => {
  const texts = fc.array(arbitraryText().map((text) => `${text}\n`));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 64 }), (lines, usualBytes) => {
      const bytes = openLineBytes(usualBytes);
      for (const line of lines) bytes.add(line);
      expect(Buffer.from(bytes.take())).toEqual(Buffer.from(lines.join('')));
    }),
  );
});

test('what was taken is not written over by the next lines', () => {
  const bytes = openLineBytes(64);
  bytes.add('one\n');
  const first = bytes.take();
  bytes.add('two\n');
  expect(bytes.length).toBe(4);
  expect([first, bytes.take(), bytes.take()].map(String)).toEqual(['one\n', 'two\n', '']);
});
