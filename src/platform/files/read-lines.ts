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
  maxLineBytes: number,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let heldBytes = 0;

  const keep = (part: Buffer) => {
    // One byte above the limit is enough to know that the line is too long.
    const kept = part.subarray(0, maxLineBytes + 1 - heldBytes);
    if (kept.length > 0) parts.push(kept);
    heldBytes += kept.length;
  };
  const take = (): Line => {
    const isTooLong = heldBytes > maxLineBytes;
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    let line = whole.subarray(0, maxLineBytes);
    if (line.at(-1) === carriageReturn) line = line.subarray(0, -1);
    if (number === 1 && line.subarray(0, 3).equals(byteOrderMark)) line = line.subarray(3);
    parts = [];
    heldBytes = 0;
    return { number: number++, text: line.toString('utf8'), isTooLong };
  };

  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      keep(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (heldBytes > 0) yield take();
}
