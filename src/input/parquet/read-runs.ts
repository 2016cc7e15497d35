import { Damage } from './damage.ts';

/** Levels and places in a dictionary; a byte each where that is enough. */
export type Runs = Uint8Array | Uint32Array;

/**
 * Reads `count` numbers of `width` bits, written as runs of one value and as packed bits. A run may not
 * be longer than what is still wanted, so that no file asks for more memory than its pages declare.
 */
export function readRuns(bytes: Uint8Array, start: number, width: number, count: number): Runs {
  if (width > 32) throw new Damage('a page packs numbers of more than 32 bits');
  const output = width <= 8 ? new Uint8Array(count) : new Uint32Array(count);
  let at = start;
  let seen = 0;
  const takeByte = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw new Damage('a page is cut short');
    at += 1;
    return byte;
  };
  const takeVarint = (): number => {
    let value = 0;
    for (let length = 0; length < 5; length += 1) {
      const byte = takeByte();
      value += (byte & 0x7f) * 2 ** (7 * length);
      if (byte < 0x80) return value;
    }
    throw new Damage('a page holds a run without end');
  };

  while (seen < count) {
    const header = takeVarint();
    if (header % 2 === 0) {
      let value = 0;
      for (let index = 0; index < (width + 7) >> 3; index += 1) value += takeByte() * 256 ** index;
      const end = seen + header / 2;
      if (end > count) throw new Damage('a page holds a run that is too long');
      output.fill(value, seen, end);
      seen = end;
    } else {
      // Packed in groups of eight, of which the last may be filled up; writers leave the filling away.
      const wanted = Math.min(((header - 1) / 2) * 8, count - seen);
      if (Math.ceil((wanted * width) / 8) > bytes.length - at) {
        throw new Damage('a page is cut short');
      }
      for (let index = 0; index < wanted; index += 1) {
        output[seen + index] = bitsAt(bytes, at * 8 + index * width, width);
      }
      seen += wanted;
      at += ((header - 1) / 2) * width;
    }
  }
  return output;
}

function bitsAt(bytes: Uint8Array, start: number, width: number): number {
  let value = 0;
  let taken = 0;
  while (taken < width) {
    const bit = start + taken;
    const inByte = bit % 8;
    const taking = Math.min(8 - inByte, width - taken);
    const byte = bytes[(bit - inByte) / 8] ?? 0;
    value |= ((byte >> inByte) & ((1 << taking) - 1)) << taken;
    taken += taking;
  }
  return value >>> 0;
}
