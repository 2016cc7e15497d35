import type { ParquetType } from 'hyparquet';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { byteStreamSplit } from 'hyparquet/src/encoding.js';
import { Damage } from './damage.ts';
import { readRuns } from './read-runs.ts';

/** A value as the file has it, before its logical type is known. */
export type RawValue = boolean | number | bigint | Uint8Array;

export interface ValuesOf {
  readonly type: ParquetType;
  readonly typeLength: number | undefined;
}

interface Reader {
  readonly view: DataView<ArrayBuffer>;
  offset: number;
}

/** A value that is longer is no cell of a list. */
const longestValue = 16 * 1024 * 1024;

/**
 * Opens the values of one page. Each is made when it is asked for: a page of a hundred thousand texts
 * takes its bytes and not a hundred thousand objects.
 */
export function openValues(
  bytes: Uint8Array,
  encoding: string,
  count: number,
  of: ValuesOf,
): () => RawValue {
  const reader: Reader = { view: viewOf(bytes), offset: 0 };
  switch (encoding) {
    case 'PLAIN':
      return plainValues(reader, of);
    case 'RLE': {
      // Only booleans are written so, with their length in front.
      const runs = readRuns(bytes, 4, 1, count);
      return inOrder(count, (index) => runs[index] === 1);
    }
    case 'DELTA_BINARY_PACKED': {
      const numbers = unpack(reader, count, of.type !== 'INT32');
      return inOrder(count, (index) => numbers[index] ?? 0);
    }
    case 'DELTA_LENGTH_BYTE_ARRAY':
      return suffixedValues(reader, count, undefined);
    case 'DELTA_BYTE_ARRAY':
      return suffixedValues(reader, count, unpack(reader, count, false));
    case 'BYTE_STREAM_SPLIT': {
      const values = byteStreamSplit(reader, count, of.type, of.typeLength);
      return inOrder(count, (index) => values[index] as RawValue);
    }
    default:
      throw new Damage(`a page is encoded as ${encoding}, which is not known`);
  }
}

/** The entries of a dictionary are plain, and all needed at once. */
export function readDictionary(bytes: Uint8Array, count: number, of: ValuesOf): RawValue[] {
  if (count > bytes.length) throw new Damage('a dictionary is cut short');
  const next = plainValues({ view: viewOf(bytes), offset: 0 }, of);
  return Array.from({ length: count }, next);
}

function plainValues(reader: Reader, { type, typeLength }: ValuesOf): () => RawValue {
  const { view } = reader;
  const at = (width: number): number => {
    const { offset } = reader;
    reader.offset += width;
    return offset;
  };
  const slice = (length: number): Uint8Array => {
    if (length > view.byteLength - reader.offset) throw new Damage('a page is cut short');
    return new Uint8Array(view.buffer, view.byteOffset + at(length), length);
  };
  let bit = 0;
  switch (type) {
    case 'BOOLEAN':
      return () => {
        const isTrue = (view.getUint8(bit >> 3) & (1 << (bit & 7))) !== 0;
        bit += 1;
        return isTrue;
      };
    case 'INT32':
      return () => view.getInt32(at(4), true);
    case 'INT64':
      return () => view.getBigInt64(at(8), true);
    case 'INT96':
      return () => slice(12);
    case 'FLOAT':
      return () => view.getFloat32(at(4), true);
    case 'DOUBLE':
      return () => view.getFloat64(at(8), true);
    case 'BYTE_ARRAY':
      return () => slice(view.getUint32(at(4), true));
    case 'FIXED_LEN_BYTE_ARRAY':
      return () => slice(typeLength ?? 0);
    default:
      throw new Damage('a column has no known type');
  }
}

/** Values whose lengths stand in front; each may begin like the one before it. */
function suffixedValues(
  reader: Reader,
  count: number,
  prefixes: Int32Array | BigInt64Array | undefined,
): () => RawValue {
  const lengths = unpack(reader, count, false);
  const { view } = reader;
  let before = new Uint8Array();
  return inOrder(count, (index) => {
    const prefix = Number(prefixes?.[index] ?? 0);
    const length = Number(lengths[index] ?? 0);
    if (prefix < 0 || prefix > before.length || length < 0 || prefix + length > longestValue) {
      throw new Damage('a page holds a text of an impossible length');
    }
    if (length > view.byteLength - reader.offset) throw new Damage('a page is cut short');
    const suffix = new Uint8Array(view.buffer, view.byteOffset + reader.offset, length);
    reader.offset += length;
    if (prefix === 0) before = suffix;
    else before = Buffer.concat([before.subarray(0, prefix), suffix]);
    return before;
  });
}

function unpack(reader: Reader, count: number, isLong: boolean): Int32Array | BigInt64Array {
  const numbers = isLong ? new BigInt64Array(count) : new Int32Array(count);
  if (count > 0) deltaBinaryUnpack(reader, count, numbers);
  return numbers;
}

function inOrder(count: number, valueAt: (index: number) => RawValue): () => RawValue {
  let index = 0;
  return () => {
    if (index >= count) throw new Damage('a page holds too few values');
    index += 1;
    return valueAt(index - 1);
  };
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView<ArrayBuffer> {
  return new DataView(buffer as ArrayBuffer, byteOffset, byteLength);
}
