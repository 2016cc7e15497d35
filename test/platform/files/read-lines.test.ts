import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Line, readLines } from '../../../src/platform/files/read-lines.ts';

test('chunk borders make no difference', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '株', '\u2028', ' ') }), {
        minLength: 1,
      }),
      fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
      async (texts, sizes) => {
        const whole = Buffer.from(texts.join('\n'));
        const chunks: Buffer[] = [];
        for (let at = 0; at < whole.length; ) {
          const size = sizes.next().value;
          chunks.push(whole.subarray(at, at + size));
          at += size;
        }
        const expected = texts.at(-1) === '' ? texts.slice(0, -1) : texts;
        expect(await textsOf(chunks)).toEqual(expected);
      },
    ),
  );
});

async function collect(chunks: (string | Buffer)[]): Promise<Line[]> {
  return Array.fromAsync(readLines(bytesOf(chunks), 1 << 20));
}

async function textsOf(chunks: (string | Buffer)[]): Promise<string[]> {
  return (await collect(chunks)).map((line) => line.text);
}

async function* bytesOf(chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
