/** The bytes that hold JSON together. */
export const quote = 0x22;
export const plus = 0x2b;
export const comma = 0x2c;
export const minus = 0x2d;
export const point = 0x2e;
export const zero = 0x30;
export const nine = 0x39;
export const colon = 0x3a;
export const capitalE = 0x45;
export const openList = 0x5b;
export const backslash = 0x5c;
export const closeList = 0x5d;
export const smallE = 0x65;
export const smallN = 0x6e;
export const smallU = 0x75;
export const openObject = 0x7b;
export const closeObject = 0x7d;

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
