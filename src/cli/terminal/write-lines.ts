import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writing lines in batches is many times faster than one by one; larger batches gain nothing. */
const batchLength = 64 * 1024;

/** Writes lines and waits whenever the stream is full, so that a slow pipe does not fill the memory. */
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
