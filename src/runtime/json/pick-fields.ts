import {
  backslash,
  closeObject,
  colon,
  comma,
  isSpace,
  openObject,
  quote,
  smallN,
} from './json-signs.ts';
import { parseJson } from './parse-json.ts';
import { nowhere, skipSpace, skipString, skipValue } from './skip-json.ts';

/** Names of fields; a list of names stands for fields within a field. */
export type WantedFields = Readonly<Record<string, true | readonly string[]>>;

type Fields = Record<string, unknown>;

interface Key {
  readonly name: string;
  readonly bytes: Buffer;
  readonly within?: readonly Key[];
}

/**
 * Reads a few fields of a JSON object, as `parseJson` would read them, without building the rest.
 * Undefined if the text is no JSON, no object, or one that takes more than this to read.
 */
export function createFieldPicker(wanted: WantedFields): (bytes: Buffer) => Fields | undefined {
  const keys = Object.entries(wanted).map(([name, within]): Key => {
    const key = keyOf(name);
    return within === true ? key : { ...key, within: within.map(keyOf) };
  });
  return (bytes) => {
    let end = bytes.length;
    while (isSpace(bytes[end - 1] ?? 0)) end -= 1;
    const start = skipSpace(bytes, 0);
    if (bytes[start] !== openObject || bytes[end - 1] !== closeObject) return undefined;
    const fields: Fields = {};
    return pickFields(bytes, start, keys, fields, 1) === end ? fields : undefined;
  };
}

function keyOf(name: string): Key {
  return { name, bytes: Buffer.from(name) };
}

/** Fills in the fields and says where the object ends, or `nowhere`. */
function pickFields(
  bytes: Buffer,
  at: number,
  keys: readonly Key[],
  fields: Fields,
  depth: number,
): number {
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === closeObject) return place + 1;
  for (;;) {
    const name = place + 1;
    const nameEnd = skipString(bytes, place) - 1;
    const key = findKey(keys, bytes, name, nameEnd);
    // Its escapes may spell a name that is wanted.
    if (!key && hasEscape(bytes, name, nameEnd)) return nowhere;
    place = skipSpace(bytes, nameEnd + 1);
    if (bytes[place] !== colon) return nowhere;
    place = skipSpace(bytes, place + 1);
    place = key ? pickField(bytes, place, key, fields, depth) : skipValue(bytes, place, depth);
    place = skipSpace(bytes, place);
    if (bytes[place] === closeObject) return place + 1;
    if (bytes[place] !== comma) return nowhere;
    place = skipSpace(bytes, place + 1);
  }
}

/** Of two fields with one name the last one counts, as it does for JSON.parse. */
function pickField(bytes: Buffer, at: number, key: Key, fields: Fields, depth: number): number {
  if (key.within && bytes[at] === openObject) {
    const inner: Fields = {};
    fields[key.name] = inner;
    return pickFields(bytes, at, key.within, inner, depth + 1);
  }
  const end = skipValue(bytes, at, depth);
  if (end !== nowhere) fields[key.name] = readValue(bytes, at, end);
  return end;
}

function readValue(bytes: Buffer, at: number, end: number): unknown {
  if (bytes[at] === quote) {
    const text = bytes.toString('utf8', at + 1, end - 1);
    if (!text.includes('\\')) return text;
  }
  if (bytes[at] === smallN) return null;
  // In a list, since that is where `parseJson` looks for numbers with many digits.
  const [value] = parseJson(`[${bytes.toString('utf8', at, end)}]`) as unknown[];
  return value;
}

function findKey(keys: readonly Key[], bytes: Buffer, from: number, to: number): Key | undefined {
  for (const key of keys) {
    if (key.bytes.length === to - from && isAt(bytes, from, key.bytes)) return key;
  }
  return undefined;
}

function isAt(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[at + index] !== name[index]) return false;
  }
  return true;
}

function hasEscape(bytes: Buffer, from: number, to: number): boolean {
  for (let place = from; place < to; place += 1) {
    if (bytes[place] === backslash) return true;
  }
  return false;
}
