import type { ByteSink, RecordWriter, TextLines } from '../files/record-writer.ts';
import { openLineBytes } from './line-bytes.ts';

/** One write to the disk for about this much text: sixty companies or so. */
const batchBytes = 256 * 1024;
/** Room for the line that fills a batch. */
const usualBytes = batchBytes + 64 * 1024;

/** A writer of lines. While one batch goes to the disk, the next is made. */
export function writeText(sink: ByteSink, { head, toLine }: TextLines): RecordWriter {
  const pending = openLineBytes(usualBytes);
  let underWay: Promise<void> | undefined;
  let rows = 0;
  if (head !== '') pending.add(head);

  const flush = async () => {
    await underWay;
    underWay = sink.write(pending.take());
    // Whoever writes next or closes meets the error; until then nobody does.
    underWay.catch(() => {});
  };
  return {
    write(record) {
      pending.add(toLine(record));
      rows += 1;
      return pending.length < batchBytes ? undefined : flush();
    },
    async append(lines, count) {
      if (pending.length > 0) await flush();
      await underWay;
      rows += count;
      await sink.write(lines);
    },
    async close() {
      if (pending.length > 0) await flush();
      await underWay;
      return { rows, ...(await sink.seal()) };
    },
  };
}
