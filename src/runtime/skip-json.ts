import {
  backslash,
  capitalE,
  closeList,
  closeObject,
  colon,
  comma,
  isSpace,
  minus,
  nine,
  openList,
  openObject,
  plus,
  point,
  quote,
  smallE,
  smallU,
  zero,
} from './json-signs.ts';

/**
 * Where a value ends that is no JSON. No byte stands there, so reading on from here finds none of the
 * signs that may come next, and ends here as well.
 */
export const nowhere = -1;

/** Each level takes some of the stack. */
const deepest = 64;

/**
 * Where the value that begins at this place ends. `nowhere` if JSON.parse would not take it, or if it
 * is too deep to tell. Nothing is built: that is quick, and leaves no garbage.
 *
 * Behind the last byte there is nothing, and nothing is no sign of any value. But V8 is slow for good
 * where it has read there, so most texts that were cut off should be told by their ends before.
 */
export function skipValue(bytes: Uint8Array, at: number, depth: number): number {
  const first = bytes[at] ?? 0;
  if (first === quote) return skipString(bytes, at);
  if (first === openObject) return depth < deepest ? skipObject(bytes, at, depth + 1) : nowhere;
  if (first === openList) return depth < deepest ? skipList(bytes, at, depth + 1) : nowhere;
  const word = words.get(first);
  return word ? skipWord(bytes, at, word) : skipNumber(bytes, at);
}

function skipObject(bytes: Uint8Array, at: number, depth: number): number {
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === closeObject) return place + 1;
  for (;;) {
    place = skipSpace(bytes, skipString(bytes, place));
    if (bytes[place] !== colon) return nowhere;
    place = skipSpace(bytes, place + 1);
    place = skipSpace(bytes, skipValue(bytes, place, depth));
    if (bytes[place] === closeObject) return place + 1;
    if (bytes[place] !== comma) return nowhere;
    place = skipSpace(bytes, place + 1);
  }
}

function skipList(bytes: Uint8Array, at: number, depth: number): number {
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === closeList) return place + 1;
  for (;;) {
    place = skipSpace(bytes, skipValue(bytes, place, depth));
    if (bytes[place] === closeList) return place + 1;
    if (bytes[place] !== comma) return nowhere;
    place = skipSpace(bytes, place + 1);
  }
}

/** Bytes beyond ASCII are all the same here: whatever they spell, or fail to spell, is a letter. */
export function skipString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== quote) return nowhere;
  let place = at + 1;
  for (;;) {
    let byte = bytes[place] ?? 0;
    while (byte >= 0x20 && byte !== quote && byte !== backslash) {
      place += 1;
      byte = bytes[place] ?? 0;
    }
    if (byte === quote) return place + 1;
    if (byte !== backslash) return nowhere;
    place = skipEscape(bytes, place + 1);
    if (place === nowhere) return nowhere;
  }
}

const escapable = signsOf('"\\/bfnrt');
const hexDigits = signsOf('0123456789abcdefABCDEF');

/** 1 at the place of each sign. */
function signsOf(signs: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const sign of Buffer.from(signs)) table[sign] = 1;
  return table;
}

function skipEscape(bytes: Uint8Array, at: number): number {
  const sign = bytes[at] ?? 0;
  if (sign !== smallU) return escapable[sign] === 1 ? at + 1 : nowhere;
  for (let place = at + 1; place <= at + 4; place += 1) {
    if (hexDigits[bytes[place] ?? 0] !== 1) return nowhere;
  }
  return at + 5;
}

/** By their first letters. */
const words = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);

function skipWord(bytes: Uint8Array, at: number, word: Uint8Array): number {
  for (let index = 1; index < word.length; index += 1) {
    if (bytes[at + index] !== word[index]) return nowhere;
  }
  return at + word.length;
}

function skipNumber(bytes: Uint8Array, at: number): number {
  const first = bytes[at] === minus ? at + 1 : at;
  let place = bytes[first] === zero ? first + 1 : skipDigits(bytes, first);
  if (bytes[place] === point) place = skipDigits(bytes, place + 1);
  if (bytes[place] !== smallE && bytes[place] !== capitalE) return place;
  const sign = bytes[place + 1];
  return skipDigits(bytes, sign === plus || sign === minus ? place + 2 : place + 1);
}

function skipDigits(bytes: Uint8Array, at: number): number {
  let place = at;
  while (isDigit(bytes[place] ?? 0)) place += 1;
  return place === at ? nowhere : place;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

export function skipSpace(bytes: Uint8Array, at: number): number {
  let place = at;
  while (isSpace(bytes[place] ?? 0)) place += 1;
  return place;
}
