import type { FlatRecord } from './columns.ts';
import type { ByteSink, RecordWriter } from './record-writer.ts';

/** One write to the disk for about this much text: sixty companies or so. */
const batchCharacters = 256 * 1024;

/** A writer of lines: `head` comes first, then one text for each record. */
export function writeText(
  sink: ByteSink,
  head: string,
  toText: (record: FlatRecord) => string,
): RecordWriter {
  let pending = head;
  let rows = 0;

  const flush = async () => {
    const bytes = Buffer.from(pending);
    pending = '';
    await sink.write(bytes);
  };
  return {
    write(record) {
      pending += toText(record);
      rows += 1;
      return pending.length < batchCharacters ? undefined : flush();
    },
    async close() {
      if (pending !== '') await flush();
      return { rows, ...(await sink.seal()) };
    },
  };
}
