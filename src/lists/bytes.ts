import { isAscii, isUtf8 } from 'node:buffer';
import { fromHere } from '../platform/files/local-path.ts';
import { invalid } from './list-errors.ts';

export async function* skipBytes(
  bytes: AsyncIterable<Buffer>,
  count: number,
): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of bytes) {
    const rest = chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
    if (rest.length > 0) yield rest;
  }
}

const lineFeed = 0x0a;
const byteOrderMarks: readonly { mark: Buffer; encoding: string }[] = [
  { mark: Buffer.from([0xef, 0xbb, 0xbf]), encoding: 'utf-8' },
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
];

interface ChosenEncoding {
  readonly encoding: string;
  readonly markBytes: number;
  /** The encoding is a guess: nothing in the file names it. */
  readonly isOpen: boolean;
}

export function chooseEncoding(head: Buffer, wanted?: string): ChosenEncoding {
  for (const { mark, encoding } of byteOrderMarks) {
    if (!head.subarray(0, mark.length).equals(mark)) continue;
    return { encoding, markBytes: mark.length, isOpen: false };
  }
  return {
    /** `latin1 → windows-1252` */
    encoding: new TextDecoder(wanted).encoding,
    markBytes: 0,
    isOpen: wanted === undefined,
  };
}

/** Throws at the first invalid byte, unless it may guess the encoding. */
export async function* decodeBytes(
  bytes: AsyncIterable<Buffer>,
  { encoding, markBytes, isOpen }: ChosenEncoding,
  name: string,
  onGuess?: (line: number) => void,
): AsyncGenerator<Buffer> {
  const unmarked = skipBytes(bytes, markBytes);
  if (encoding !== 'utf-8') yield* transcode(unmarked, encoding, name);
  else yield* checkUtf8(unmarked, name, isOpen ? onGuess : undefined);
}

/** Windows-1252 lacks the first bytes; the sequences are UTF-8, so two encodings are mixed. */
const notWindows1252 =
  /[\x81\x8d\x8f\x90\x9d]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;

async function* checkUtf8(
  bytes: AsyncIterable<Buffer>,
  name: string,
  onGuess: ((line: number) => void) | undefined,
): AsyncGenerator<Buffer> {
  let line = 1;
  let carried = Buffer.alloc(0);
  let hasWideCharacters = false;
  let badLine: number | undefined;
  const read = (chunk: Buffer): Buffer => {
    if (isAscii(chunk)) return chunk;
    if (badLine === undefined && isUtf8(chunk)) {
      hasWideCharacters = true;
      return chunk;
    }
    const isFirst = badLine === undefined;
    badLine ??= findBadLine(chunk, line);
    if (!onGuess || hasWideCharacters || notWindows1252.test(chunk.toString('latin1'))) {
      throw notUtf8(name, badLine);
    }
    if (isFirst) onGuess(badLine);
    return Buffer.from(new TextDecoder('windows-1252').decode(chunk));
  };
  for await (const chunk of bytes) {
    const all = Buffer.concat([carried, chunk]);
    // A character ends before the next ASCII byte, in both encodings.
    const end = all.findLastIndex((byte) => byte < 0x80) + 1;
    const text = read(all.subarray(0, end));
    line += countLineFeeds(text);
    carried = all.subarray(end);
    if (text.length > 0) yield text;
  }
  if (carried.length > 0) yield read(carried);
}

function notUtf8(name: string, line: number) {
  return invalid(
    `${fromHere(name)} is not UTF-8: line ${line} has a byte that UTF-8 does not allow. ` +
      'Save it again as "CSV UTF-8", or name its encoding with --encoding or input.encoding',
  );
}

function findBadLine(chunk: Buffer, firstLine: number) {
  const lines = chunk.toString('latin1').split('\n');
  // No multi-byte UTF-8 character contains a line feed byte.
  return firstLine + lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
}

async function* transcode(
  bytes: AsyncIterable<Buffer>,
  encoding: string,
  name: string,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let line = 1;
  const decode = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
    } catch (cause) {
      throw invalid(
        `${name} is not ${encoding}: a byte after line ${line} is invalid. ` +
          'Set --encoding or input.encoding to the encoding the file was saved in',
        { cause },
      );
    }
  };
  for await (const chunk of bytes) {
    const text = decode(chunk);
    line += countLineFeeds(text);
    if (text.length > 0) yield text;
  }
  const last = decode();
  if (last.length > 0) yield last;
}

function countLineFeeds(chunk: Buffer) {
  let count = 0;
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
    count += 1;
  }
  return count;
}
