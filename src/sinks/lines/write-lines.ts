import { releaseMemory } from '../../runtime/memory/release-memory.ts';
import type { ByteTarget, RecordWriter } from '../files/record-writer.ts';
import type { EncodedLines } from './encode-lines.ts';

/** A writer of lines; `head` comes before the first of them. */
export async function writeLines(
  target: ByteTarget,
  head: string,
): Promise<RecordWriter<EncodedLines>> {
  let written = 0;
  if (head !== '') await target.write(Buffer.from(head));
  return {
    async write({ rows, bytes }) {
      if (rows === 0) return;
      await target.write(bytes);
      written += rows;
      // The bytes have waited for their turn, so that V8 takes them for old and collects them late.
      releaseMemory(bytes);
    },
    close: async () => ({ rows: written, ...(await target.seal()) }),
  };
}
