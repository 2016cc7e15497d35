import fc from 'fast-check';
import { expect, test } from 'vitest';
import { peekBytes, skipBytes } from '../../../src/lists/bytes.ts';

test('peeking loses no byte, and skipping drops the first bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 5 })),
      fc.nat({ max: 12 }),
      fc.nat({ max: 12 }),
      async (texts, wanted, skipped) => {
        const whole = Buffer.from(texts.join(''));
        const { head, isWhole, bytes } = await peekBytes(chunksOf(texts), wanted);
        expect(head.length).toBeGreaterThanOrEqual(Math.min(wanted, whole.length));
        expect(head).toEqual(whole.subarray(0, head.length));
        if (isWhole) expect(head).toEqual(whole);

        const rest = Buffer.concat(await Array.fromAsync(skipBytes(bytes, skipped)));
        expect(rest).toEqual(whole.subarray(skipped));
      },
    ),
  );
});

async function* chunksOf(texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
