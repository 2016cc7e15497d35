import type { ByteSink, RecordWriter, TextLines } from './record-writer.ts';

/** One write to the disk for about this much text: sixty companies or so. */
const batchCharacters = 256 * 1024;

/** A writer of lines. */
export function writeText(sink: ByteSink, { head, toLine }: TextLines): RecordWriter {
  let pending = head;
  let rows = 0;

  const flush = async () => {
    const bytes = Buffer.from(pending);
    pending = '';
    await sink.write(bytes);
  };
  return {
    write(record) {
      pending += toLine(record);
      rows += 1;
      return pending.length < batchCharacters ? undefined : flush();
    },
    async append(lines, count) {
      if (pending !== '') await flush();
      rows += count;
      await sink.write(lines);
    },
    async close() {
      if (pending !== '') await flush();
      return { rows, ...(await sink.seal()) };
    },
  };
}
