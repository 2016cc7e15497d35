import { Damage } from './damage.ts';

/** The bytes end within the value: more of the file may complete it. */
export class EndsWithin extends Damage {}

const deepest = 32;
const longestVarint = 10;
const stop = 0;
const byteType = 3;
const doubleType = 7;
const binaryType = 8;
const listType = 9;
const structType = 12;

/**
 * Walks one value of Thrift's compact protocol and returns where it ends. The decoder trusts the lengths
 * that it reads: a list of two billion entries in ten bytes would fill the memory.
 */
export function checkThrift(bytes: Uint8Array, start = 0): number {
  let at = start;
  const takeByte = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw new EndsWithin('its description is cut short');
    at += 1;
    return byte;
  };
  const takeVarint = (): number => {
    let value = 0;
    for (let length = 0; length < longestVarint; length += 1) {
      const byte = takeByte();
      value += (byte & 0x7f) * 2 ** (7 * length);
      if (byte < 0x80) return value;
    }
    throw new Damage('its description holds a number without end');
  };
  const skip = (length: number): void => {
    if (length > bytes.length - at) throw new EndsWithin('its description is cut short');
    at += length;
  };

  function walkStruct(depth: number): void {
    if (depth > deepest) throw new Damage('its description is nested too deeply');
    for (;;) {
      const byte = takeByte();
      const type = byte & 0x0f;
      if (type === stop) return;
      if (byte >> 4 === 0) takeVarint();
      // A field that is true or false has its value in the type.
      if (type > 2) walkValue(type, depth);
    }
  }

  function walkValue(type: number, depth: number): void {
    if (type <= byteType) skip(1);
    else if (type < doubleType) takeVarint();
    else if (type === doubleType) skip(8);
    else if (type === binaryType) skip(takeVarint());
    else if (type === listType) walkList(depth);
    else if (type === structType) walkStruct(depth + 1);
    else throw new Damage('its description holds a value of no known type');
  }

  function walkList(depth: number): void {
    if (depth > deepest) throw new Damage('its description is nested too deeply');
    const byte = takeByte();
    const size = byte >> 4 === 15 ? takeVarint() : byte >> 4;
    // Every entry takes a byte at least, so that the walk ends with the bytes.
    for (let index = 0; index < size; index += 1) walkValue(byte & 0x0f, depth + 1);
  }

  walkStruct(0);
  return at;
}
