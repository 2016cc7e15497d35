/** The message continues the sentence "… is a damaged Parquet file:". */
export class Damage extends Error {
  override readonly name = 'Damage';
}

interface Fields {
  [id: number]: number | Fields | undefined;
}

const longestVarint = 10;

/** Checks page headers first, because one wrong byte in them can make hyparquet loop forever. */
export function checkPages(bytes: Uint8Array, values: number): void {
  let at = 0;
  let seen = 0;
  while (seen < values && at < bytes.length) {
    const { fields, end } = walkThrift(bytes, at);
    const { 2: plain, 3: stored, 5: data, 7: dictionary, 8: second } = fields;
    const page = (data ?? second ?? dictionary ?? {}) as Fields;
    const sizes = [plain, stored, page[1], ...(second ? [2, 3, 5, 6].map((id) => page[id]) : [])];
    if (!sizes.every((size) => Number(size) >= 0)) {
      throw new Damage('a page does not state its size');
    }
    at = end + Number(stored);
    if (at > bytes.length) throw new Damage('a page is longer than its column');
    if (page !== dictionary) seen += Number(page[1]);
  }
  if (seen > values) throw new Damage('a column holds more values than it says');
}

/** hyparquet trusts lengths: ten bytes can declare two billion entries and fill the memory. */
export function walkThrift(bytes: Uint8Array, start = 0): { fields: Fields; end: number } {
  let at = start;
  const skip = (length: number): undefined => {
    at += length;
    if (at > bytes.length) throw new Damage('its metadata is cut short');
  };
  const takeByte = () => {
    skip(1);
    return bytes[at - 1] ?? 0;
  };
  const takeVarint = () => {
    let value = 0;
    for (let length = 0; length < longestVarint; length += 1) {
      const byte = takeByte();
      value += (byte & 0x7f) * 2 ** (7 * length);
      if (byte < 0x80) return value;
    }
    throw new Damage('a number in its metadata is too long');
  };
  const takeInteger = () => {
    const folded = takeVarint();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  };

  function walkStruct() {
    const fields: Fields = {};
    let id = 0;
    for (let byte = takeByte(); (byte & 0x0f) !== 0; byte = takeByte()) {
      id = byte >> 4 === 0 ? takeInteger() : id + (byte >> 4);
      const type = byte & 0x0f;
      // Types 1 and 2 mean true and false, so a boolean field has no value to read.
      if (type > 2) fields[id] = walkValue(type);
    }
    return fields;
  }

  function walkValue(type: number) {
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
      case 9: {
        const byte = takeByte();
        const size = byte >> 4 === 15 ? takeVarint() : byte >> 4;
        for (let index = 0; index < size; index += 1) walkValue(byte & 0x0f);
        return undefined;
      }
      case 12:
        return walkStruct();
      default:
        throw new Damage('its metadata has a value of unknown type');
    }
  }

  return { fields: walkStruct(), end: at };
}
