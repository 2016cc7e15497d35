/** Records as lines of text in UTF-8. */
export interface EncodedLines {
  readonly rows: number;
  /** In memory of their own, so that they can move to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Each line is encoded by itself. In one text for the whole batch, one curly quote would turn all
 * characters into wide ones, which takes 8 µs more for a company.
 */
export function encodeLines(lines: readonly string[]): EncodedLines {
  let length = 0;
  for (const line of lines) length += Buffer.byteLength(line);
  const bytes = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const line of lines) end += bytes.write(line, end);
  return { rows: lines.length, bytes };
}
