import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { writeLines } from '../../src/cli/command.ts';

test('lines wait for a slow reader and all arrive', async () => {
  const count = 50_000;
  let received = 0;
  let produced = 0;
  let mostWaiting = 0;
  const slow = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      received += chunk.toString().split('\n').length - 1;
      setImmediate(done);
    },
  });
  async function* lines() {
    for (; produced < count; produced += 1) {
      mostWaiting = Math.max(mostWaiting, produced - received);
      yield `line ${produced}`;
    }
  }
  await writeLines(slow, lines());
  await new Promise((resolve) => slow.end(resolve));
  expect(received).toBe(count);
  expect(mostWaiting).toBeLessThan(20_000);
});
