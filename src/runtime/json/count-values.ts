import { comma, openList, openObject, quote } from './json-signs.ts';
import { nowhere, skipSpace, skipString } from './skip-json.ts';

/**
 * Whether JSON has more commas and brackets than this outside of its strings. They stand for its
 * values: a megabyte of `{},` is a hundred megabytes when it is read, a megabyte of text is one.
 */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  // Each takes a byte, so nearly every text is told by its length.
  if (bytes.length <= most) return false;
  let place = skipSpace(bytes, startsWithMark(bytes) ? 3 : 0);
  if (bytes[place] !== openObject && bytes[place] !== openList) return false;
  let values = 0;
  while (place < bytes.length) {
    const byte = bytes[place];
    if (byte === quote) {
      place = skipString(bytes, place);
      // No reader gets further than a string that does not end.
      if (place === nowhere) return false;
      continue;
    }
    if (byte === comma || byte === openObject || byte === openList) values += 1;
    if (values > most) return true;
    place += 1;
  }
  return false;
}

/** A byte order mark in UTF-8. Readers of answers skip it. */
function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
