/** The bytes that hold JSON together. */
export const quote = 0x22;
export const comma = 0x2c;
export const openList = 0x5b;
export const backslash = 0x5c;
export const closeList = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
