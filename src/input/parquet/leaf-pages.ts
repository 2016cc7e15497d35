import type { ColumnMetaData } from 'hyparquet';
import { Encodings } from 'hyparquet/src/constants.js';
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js';
import type { RandomBytes } from '../../runtime/files/random-bytes.ts';
import { checkThrift, EndsWithin } from './check-thrift.ts';
import { Damage } from './damage.ts';
import { decompressPage } from './decompress-page.ts';
import type { HeldBytes } from './held-bytes.ts';
import { openValues, readDictionary } from './page-values.ts';
import type { Leaf } from './parquet-columns.ts';
import { type Runs, readRuns } from './read-runs.ts';

/** A page of one column, its values not made yet. */
export interface LeafPage {
  readonly count: number;
  /** Undefined where every value is there. */
  readonly definition: Runs | undefined;
  /** Undefined where nothing is repeated. */
  readonly repetition: Runs | undefined;
  /** The next value that is there. */
  next(): unknown;
}

interface PageHeader {
  readonly type: number;
  readonly plainBytes: number;
  readonly storedBytes: number;
  readonly count: number;
  readonly encoding: string;
  /** Only of the second version, whose levels are not compressed. */
  readonly levels?: { readonly definition: number; readonly repetition: number; isStored: boolean };
}

const dataPage = 0;
const indexPage = 1;
const dictionaryPage = 2;
const dataPageV2 = 3;
const firstHeaderBytes = 4 * 1024;
const mostHeaderBytes = 1024 * 1024;

/** Reads one column of a row group, page by page. */
export function openLeafPages(
  file: RandomBytes,
  chunk: ColumnMetaData,
  leaf: Leaf,
  held: HeldBytes,
): () => Promise<LeafPage | undefined> {
  const { type } = chunk;
  const typeLength = leaf.schemaPath.at(-1)?.element.type_length;
  const { start, end } = rangeOf(chunk, file.size);
  const total = Number(chunk.num_values);
  let at = start;
  let seen = 0;
  let dictionary: unknown[] | undefined;
  let dictionaryBytes = 0;

  async function takeHeader(): Promise<PageHeader> {
    for (let length = firstHeaderBytes; ; length *= 4) {
      const bytes = await file.read(at, Math.min(length, end - at));
      try {
        const headerEnd = checkThrift(bytes);
        const header = headerOf(bytes.subarray(0, headerEnd));
        at += headerEnd;
        if (header.storedBytes > end - at) throw new Damage('a page is longer than its column');
        return header;
      } catch (error) {
        const mayBeLonger = length < mostHeaderBytes && length < end - at;
        if (!(error instanceof EndsWithin) || !mayBeLonger) throw error;
      }
    }
  }

  function pageOf(header: PageHeader, stored: Uint8Array): LeafPage {
    const { count, encoding, plainBytes, levels } = header;
    const { maxDefinition, maxRepetition } = leaf;
    let repetition: Runs | undefined;
    let definition: Runs | undefined;
    let values: Uint8Array;
    if (levels) {
      const front = levels.repetition + levels.definition;
      if (front > stored.length || front > plainBytes) throw new Damage('a page is cut short');
      repetition = levelsOf(stored, 0, maxRepetition, count);
      definition = levelsOf(stored, levels.repetition, maxDefinition, count);
      const rest = stored.subarray(front);
      const codec = levels.isStored ? 'UNCOMPRESSED' : chunk.codec;
      values = decompressPage(codec, rest, plainBytes - front);
    } else {
      const plain = decompressPage(chunk.codec, stored, plainBytes);
      let offset = 0;
      const take = (most: number): Runs | undefined => {
        if (most === 0) return undefined;
        const length = Buffer.from(plain.buffer, plain.byteOffset, plain.length).readUInt32LE(
          offset,
        );
        const levels = levelsOf(plain, offset + 4, most, count);
        offset += 4 + length;
        return levels;
      };
      repetition = take(maxRepetition);
      definition = take(maxDefinition);
      values = plain.subarray(offset);
    }
    const present = definition ? countOf(definition, maxDefinition) : count;
    return { count, repetition, definition, next: valuesOf(values, encoding, present) };
  }

  function valuesOf(bytes: Uint8Array, encoding: string, count: number): () => unknown {
    if (!encoding.endsWith('_DICTIONARY')) {
      const next = openValues(bytes, encoding, count, { type, typeLength });
      return () => leaf.read(next());
    }
    const entries = dictionary;
    if (!entries) throw new Damage('a page refers to a dictionary that is missing');
    const places = readRuns(bytes, 1, count === 0 ? 0 : (bytes[0] ?? 0), count);
    let index = 0;
    return () => {
      const place = places[index] ?? entries.length;
      index += 1;
      if (place >= entries.length) throw new Damage('a page refers beyond its dictionary');
      return entries[place];
    };
  }

  return async () => {
    for (;;) {
      if (at >= end || seen >= total) return undefined;
      const header = await takeHeader();
      // What a page takes in memory: its bytes, stored and plain, and a few bytes for each value.
      const bytes = header.storedBytes + header.plainBytes + header.count * 8;
      held.hold(leaf, dictionaryBytes + bytes);
      const stored = await file.read(at, header.storedBytes);
      at += header.storedBytes;
      if (header.type === dictionaryPage) {
        const plain = decompressPage(chunk.codec, stored, header.plainBytes);
        dictionary = readDictionary(plain, header.count, { type, typeLength }).map(leaf.read);
        dictionaryBytes = header.plainBytes * 2 + header.count * 48;
        continue;
      }
      if (header.type === indexPage || header.count === 0) continue;
      seen += header.count;
      if (seen > total) throw new Damage('a column holds more values than it says');
      return pageOf(header, stored);
    }
  };
}

function rangeOf(chunk: ColumnMetaData, size: number): { start: number; end: number } {
  const data = Number(chunk.data_page_offset);
  const dictionary = Number(chunk.dictionary_page_offset ?? 0);
  const start = dictionary > 0 && dictionary < data ? dictionary : data;
  const end = start + Number(chunk.total_compressed_size);
  if (!(start >= 4 && end >= start && end <= size))
    throw new Damage('a column lies beyond its end');
  return { start, end };
}

function headerOf(bytes: Buffer): PageHeader {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  const raw = deserializeTCompactProtocol({ view: new DataView(copy), offset: 0 });
  const version2 = raw.field_8;
  const counted = raw.field_1 === dictionaryPage ? raw.field_7 : (raw.field_5 ?? version2);
  const header: PageHeader = {
    type: size(raw.field_1),
    plainBytes: size(raw.field_2),
    storedBytes: size(raw.field_3),
    count: raw.field_1 === indexPage ? 0 : size(counted?.field_1),
    encoding: Encodings[version2 ? version2.field_4 : counted?.field_2] ?? 'unknown',
  };
  if (header.type !== dataPageV2) {
    if (header.type > dataPageV2 || (header.type === dataPage && !raw.field_5)) {
      throw new Damage('a page is of no known type');
    }
    return header;
  }
  const levels = {
    definition: size(version2?.field_5),
    repetition: size(version2?.field_6),
    isStored: version2?.field_7 === false,
  };
  return { ...header, levels };
}

function size(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new Damage('a page says nothing of its size');
}

function levelsOf(bytes: Uint8Array, at: number, most: number, count: number): Runs | undefined {
  return most === 0 ? undefined : readRuns(bytes, at, 32 - Math.clz32(most), count);
}

export function countOf(levels: Runs, wanted: number): number {
  let count = 0;
  for (const level of levels) if (level === wanted) count += 1;
  return count;
}
