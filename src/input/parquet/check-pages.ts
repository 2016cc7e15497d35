/** What does not fit in the bytes of a Parquet file. Its message follows the name of the file. */
export class Damage extends Error {
  override readonly name = 'Damage';
}

/** The integers and structs of a struct, by the numbers of their fields. */
interface Fields {
  readonly [id: number]: number | Fields | undefined;
}

const deepest = 32;
const longestVarint = 10;

/**
 * Checks the headers of all pages of a column before hyparquet reads them. It trusts them: one wrong byte
 * can make it loop without end.
 */
export function checkPages(bytes: Uint8Array, values: number): void {
  let at = 0;
  let seen = 0;
  while (seen < values && at < bytes.length) {
    const { fields, end } = walkThrift(bytes, at);
    const { 2: plain, 3: stored, 5: data, 7: dictionary, 8: second } = fields;
    const page = (data ?? second ?? dictionary ?? {}) as Fields;
    const { 2: nulls, 3: rows, 5: definition, 6: repetition } = (second ?? {}) as Fields;
    const sizes = [
      plain,
      stored,
      page[1],
      ...(second ? [nulls, rows, definition, repetition] : []),
    ];
    if (!sizes.every((size) => Number(size) >= 0))
      throw new Damage('a page says nothing of its size');
    at = end + Number(stored);
    if (at > bytes.length) throw new Damage('a page is longer than its column');
    if (page !== dictionary) seen += Number(page[1]);
  }
  if (seen > values) throw new Damage('a column holds more values than it says');
}

/**
 * Walks one struct of Thrift's compact protocol. hyparquet trusts the lengths that it reads: there a list of
 * two billion entries in ten bytes would fill the memory.
 */
export function walkThrift(bytes: Uint8Array, start = 0): { fields: Fields; end: number } {
  let at = start;
  const takeByte = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw new Damage('its description is cut short');
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
  const takeInteger = (): number => {
    const folded = takeVarint();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  };
  const skip = (length: number): undefined => {
    if (length > bytes.length - at) throw new Damage('its description is cut short');
    at += length;
  };

  function walkStruct(depth: number): Fields {
    if (depth > deepest) throw new Damage('its description is nested too deeply');
    const fields: Record<number, number | Fields | undefined> = {};
    let id = 0;
    for (let byte = takeByte(); (byte & 0x0f) !== 0; byte = takeByte()) {
      id = byte >> 4 === 0 ? takeInteger() : id + (byte >> 4);
      const type = byte & 0x0f;
      // A field that is true or false has its value in the type.
      if (type > 2) fields[id] = walkValue(type, depth);
    }
    return fields;
  }

  function walkValue(type: number, depth: number): number | Fields | undefined {
    switch (type) {
      case 1:
      case 2:
      case 3:
        return skip(1);
      case 4:
      case 5:
      case 6:
        return takeInteger();
      case 7:
        return skip(8);
      case 8:
        return skip(takeVarint());
      case 9:
        return walkList(depth);
      case 12:
        return walkStruct(depth + 1);
      default:
        throw new Damage('its description holds a value of no known type');
    }
  }

  function walkList(depth: number): undefined {
    if (depth > deepest) throw new Damage('its description is nested too deeply');
    const byte = takeByte();
    const size = byte >> 4 === 15 ? takeVarint() : byte >> 4;
    // Every entry takes a byte at least, so that the walk ends with the bytes.
    for (let index = 0; index < size; index += 1) walkValue(byte & 0x0f, depth + 1);
  }

  return { fields: walkStruct(0), end: at };
}
