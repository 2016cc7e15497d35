import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** One write for many lines is many times faster; more than this only costs memory. */
const batchLength = 64 * 1024;

/** Writes lines as fast as the reader takes them, so that a slow pipe fills no memory. */
export async function writeLines(stream: Writable, lines: AsyncIterable<string>): Promise<void> {
  let batch = '';
  for await (const line of lines) {
    batch += `${line}\n`;
    if (batch.length < batchLength) continue;
    if (!stream.write(batch)) await once(stream, 'drain');
    batch = '';
  }
  if (batch !== '') stream.write(batch);
}
