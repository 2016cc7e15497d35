import { backslash, comma, isSpace, openList, openObject, quote } from './json-signs.ts';

/**
 * Whether JSON has more commas and brackets than this outside of its strings. They stand for its
 * values: a megabyte of `{},` is a hundred megabytes when it is read, a megabyte of text is one.
 */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  // Each takes a byte, so nearly every text is told by its length.
  if (bytes.length <= most) return false;
  const first = bytes.find((byte) => byte < 0x80 && !isSpace(byte));
  if (first !== openObject && first !== openList) return false;
  let values = 0;
  let isText = false;
  for (let place = 0; place < bytes.length; place += 1) {
    const byte = bytes[place];
    if (byte === quote) isText = !isText;
    else if (isText) {
      if (byte === backslash) place += 1;
    } else if (byte === comma || byte === openObject || byte === openList) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}
