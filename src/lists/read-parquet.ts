import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type Compressors,
  type DecodedArray,
  type ParquetParsers,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { DossierError } from '../core/errors.ts';
import { dayMs } from '../core/values/duration.ts';
import { rawJSON } from '../core/values/parse-json.ts';
import type { RandomBytes } from '../platform/files/read-bytes.ts';
import { nameColumns } from './header.ts';
import type { InputRow } from './input-row.ts';
import { jsonCell } from './jsonl.ts';
import { unreadable } from './list-errors.ts';

interface ParquetFile {
  readonly name: string;
  readonly file: RandomBytes;
  readonly signal?: AbortSignal | undefined;
}

/** The most that is decoded at once: pandas writes a million rows into a row group. */
const partValues = 2_000_000;
const batchRows = 1_000;

/** Node refuses a limit of 0, which the page of an empty column has. */
const limitOf = (size: number) => ({ maxOutputLength: Math.max(size, 1) });

const compressors: Compressors = {
  GZIP: (bytes, size) => gunzipSync(bytes, limitOf(size)),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, limitOf(size)),
  // Some writers compress an empty page to zero bytes.
  ZSTD: (bytes, size) => (bytes.length === 0 ? bytes : zstdDecompressSync(bytes, limitOf(size))),
};

const timeText = (ms: bigint | number) => new Date(Number(ms)).toISOString();

/** Cells are texts, and JSON stays as it is written. */
const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: timeText,
  timestampFromMicroseconds: (micros) => timeText(micros / 1_000n),
  timestampFromNanoseconds: (nanos) => timeText(nanos / 1_000_000n),
  dateFromDays: (days) => timeText(days * dayMs).slice(0, 10),
  jsonFromBytes: (bytes) => Buffer.from(bytes).toString(),
};

export async function readParquet(list: ParquetFile) {
  const { name, file } = list;
  const bytes = {
    byteLength: file.size,
    async slice(start: number, end = file.size) {
      if (end > file.size) throw new Error('a column ends after the end of the file');
      return new Uint8Array(await file.read(start, end - start)).buffer;
    },
  };
  try {
    const metadata = await parquetMetadataAsync(bytes, { geoparquet: false });
    const leaves = parquetSchema(metadata).children.flatMap(columnsOf);
    const columns = leaves.filter(({ element }) => !isBytes(element));
    if (columns.length === 0) throw unreadable(`${name} has no column of text, numbers or times`);
    const options = { file: bytes, metadata, compressors, parsers, useOffsetIndex: false };
    return {
      columns: nameColumns(columns.map(nameOf)),
      hasHeader: true,
      titleRows: 0,
      byteColumns: leaves.filter(({ element }) => isBytes(element)).map(nameOf),
      batches: readBatches(list, await parquetScan(options), columns),
    };
  } catch (error) {
    throw parquetError(name, error);
  }
}

const nameOf = ({ path }: SchemaTree) => path.join('.');

/** A value inside a struct becomes the column `properties.domain`. Lists and maps become JSON. */
function columnsOf(node: SchemaTree): SchemaTree[] {
  const { repetition_type: repetition, converted_type: converted, logical_type } = node.element;
  const mark = converted ?? logical_type?.type ?? '';
  const isList = repetition === 'REPEATED' || mark === 'LIST' || mark === 'MAP';
  return node.children.length === 0 || isList ? [node] : node.children.flatMap(columnsOf);
}

function isBytes({ type, converted_type: converted, logical_type: logical }: SchemaElement) {
  return /BYTE_ARRAY$/.test(type ?? '') && (converted === 'INTERVAL' || !(converted ?? logical));
}

async function* readBatches(
  { name, signal }: ParquetFile,
  { ranges, readColumn }: ParquetScan,
  columns: readonly SchemaTree[],
): AsyncGenerator<readonly InputRow[]> {
  const partRows = Math.max(batchRows, Math.ceil(partValues / columns.length));
  try {
    for (const range of ranges) {
      for (let { rowStart } = range; rowStart < range.rowEnd; rowStart += partRows) {
        const rowEnd = Math.min(rowStart + partRows, range.rowEnd);
        const values: DecodedArray[] = [];
        for (const { path } of columns) {
          signal?.throwIfAborted();
          const read = await readColumn({ column: path[0] ?? '', rowStart, rowEnd });
          if (read.length < rowEnd - rowStart) throw new Error('a column has too few values');
          values.push(read);
        }
        for (let start = rowStart; start < rowEnd; start += batchRows) {
          signal?.throwIfAborted();
          yield Array.from({ length: Math.min(batchRows, rowEnd - start) }, (_, index) => {
            const number = start + index + 1;
            const at = start - rowStart + index;
            const cells = columns.map((column, of) => cellOf(column, values[of]?.[at]));
            return { number, line: number, cells };
          });
        }
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw parquetError(name, error);
  }
}

/** Binary numbers have more digits than were meant: 0.1 as a FLOAT is 0.10000000149011612. */
function meantDigits({ type, converted_type: converted }: SchemaElement) {
  if (type === 'FLOAT') return 7;
  return converted === 'DECIMAL' ? 15 : undefined;
}

function cellOf({ path, element }: SchemaTree, whole: unknown): string | undefined {
  const value = path
    .slice(1)
    .reduce((within, key) => (within as Record<string, unknown> | null)?.[key], whole);
  // pandas writes missing numbers as NaN.
  if (value == null || Number.isNaN(value)) return undefined;
  if (typeof value === 'object') return JSON.stringify(value, withBigNumbers);
  const digits = typeof value === 'number' && meantDigits(element);
  return jsonCell(digits ? Number(value.toPrecision(digits)) : withBigNumbers('', value));
}

function withBigNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}

function parquetError(name: string, error: unknown): unknown {
  if (error instanceof DossierError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code?.startsWith('E') && !code.startsWith('ERR_')) {
    return unreadable(`${name} cannot be read: ${message}`, options);
  }
  const text = message.startsWith('parquet unsupported')
    ? `${name} cannot be read (${message}): write it with snappy, zstd, gzip or brotli, or as CSV`
    : `${name} is a damaged Parquet file (${message}). Download or write it again`;
  return unreadable(text, options);
}
