/** Call before parsing: 1 MB of `{},` needs 100 MB when parsed. */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  // Each value needs at least a byte.
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

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const openObject = 0x7b;

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
