import { open } from 'node:fs/promises';
import { DossierError } from '../core/errors.ts';

const chunkBytes = 1_024 * 1_024;
const quoteByte = 0x22;
const lineEnd = 0x0a;

/** The records of a CSV file of ours, in order. The header is the first. */
export async function openWrittenRecords(path: string) {
  const handle = await open(path);
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let some = chunk.subarray(0, 0);
  let at = 0;
  let isQuoted = false;
  // Found once for each place, because a search may run to the end of the chunk.
  let [quote, line] = [-1, -1];

  const refill = async () => {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes);
    if (bytesRead === 0)
      throw new DossierError('OUTPUT_TROUBLE', `${path} was changed while it was read`);
    some = chunk.subarray(0, bytesRead);
    [at, quote, line] = [0, -1, -1];
  };
  const find = (byte: number) => {
    const found = some.indexOf(byte, at);
    return found === -1 ? some.length : found;
  };
  /** Moves behind the record, or to the end of the chunk. */
  const passRecord = (): boolean => {
    while (at < some.length) {
      if (quote < at) quote = find(quoteByte);
      if (line < at) line = find(lineEnd);
      if (isQuoted || quote < line) {
        if (quote < some.length) isQuoted = !isQuoted;
        at = Math.min(quote + 1, some.length);
      } else {
        at = Math.min(line + 1, some.length);
        return line < some.length;
      }
    }
    return false;
  };
  return {
    /** The bytes are overwritten by the next ones. */
    async *take(records: number): AsyncGenerator<Uint8Array, void> {
      let from = at;
      for (let left = records; left > 0; ) {
        if (passRecord()) left -= 1;
        else {
          if (at > from) yield some.subarray(from, at);
          await refill();
          from = 0;
        }
      }
      if (at > from) yield some.subarray(from, at);
    },
    close: () => handle.close(),
  };
}
