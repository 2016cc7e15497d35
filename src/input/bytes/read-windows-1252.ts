/** Letters of UTF-8 that take two bytes or more; windows-1252 hardly ever has these signs in a row. */
const wideCharacter = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
/** The five bytes that stand for nothing in windows-1252. */
const undefinedByte = /[\x81\x8d\x8f\x90\x9d]/;

/**
 * Reads a chunk of text that is no UTF-8 as windows-1252. Undefined where it can be neither, or shows
 * letters of UTF-8, too: a wrong guess would spoil every name in the list.
 */
export function readWindows1252(chunk: Buffer): Buffer | undefined {
  const bytes = chunk.toString('latin1');
  if (undefinedByte.test(bytes) || wideCharacter.test(bytes)) return undefined;
  return Buffer.from(new TextDecoder('windows-1252').decode(chunk));
}
