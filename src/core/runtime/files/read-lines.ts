const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

export interface Line {
  readonly number: number;
  readonly text: string;
  readonly isTooLong: boolean;
}

/** `node:readline` also splits at U+2028, which JSON may contain. */
export async function* readLines(
  bytes: AsyncIterable<Buffer>,
  options: { maxLineBytes: number },
): AsyncGenerator<Line> {
  let number = 1;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isTooLong = false;

  const keep = (part: Buffer) => {
    const room = options.maxLineBytes - pendingBytes;
    if (part.length > room) isTooLong = true;
    const kept = part.subarray(0, Math.max(0, room));
    if (kept.length > 0) pending.push(kept);
    pendingBytes += kept.length;
  };
  const take = (): Line => {
    let whole = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
    if (whole.at(-1) === carriageReturn) whole = whole.subarray(0, -1);
    if (number === 1 && whole.subarray(0, 3).equals(byteOrderMark)) whole = whole.subarray(3);
    const line = { number, text: whole.toString('utf8'), isTooLong };
    number += 1;
    pending = [];
    pendingBytes = 0;
    isTooLong = false;
    return line;
  };

  for await (const chunk of bytes) {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, start);
      if (end === -1) break;
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (pending.length > 0 || isTooLong) yield take();
}
