import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
  parquetSchema,
} from 'hyparquet';
import { DossierError } from '../../core/errors.ts';
import type { RandomBytes } from '../../platform/files/read-bytes.ts';
import { nameColumns } from '../header.ts';
import type { InputRow } from '../input-row.ts';
import { unreadable } from '../list-errors.ts';
import { type ListColumn, listColumns } from './parquet-columns.ts';

interface ParquetFile {
  readonly name: string;
  readonly file: RandomBytes;
  readonly signal?: AbortSignal | undefined;
}

/** Limits of what is decoded at once: pandas writes a million rows into a row group. */
const partValues = 2_000_000;
const partBytes = 128 * 1024 * 1024;
const batchRows = 1_000;

/** Node refuses a limit of 0, which the page of an empty column has. */
const limitOf = (size: number) => ({ maxOutputLength: Math.max(size, 1) });

const compressors: Compressors = {
  GZIP: (bytes, size) => gunzipSync(bytes, limitOf(size)),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, limitOf(size)),
  // Some writers compress an empty page to zero bytes.
  ZSTD: (bytes, size) => (bytes.length === 0 ? bytes : zstdDecompressSync(bytes, limitOf(size))),
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
    const { columns, byteColumns } = listColumns(parquetSchema(metadata));
    if (columns.length === 0) throw unreadable(`${name} has no column of text, numbers or times`);
    const scan = await parquetScan({
      file: bytes,
      metadata,
      compressors,
      parsers: {
        stringFromBytes: ({ buffer, byteOffset, byteLength }: Uint8Array) =>
          Buffer.from(buffer, byteOffset, byteLength).toString('utf8'),
        timestampFromNanoseconds: (nanoseconds) => nanoseconds,
      },
      utf8: false,
      useOffsetIndex: false,
    });
    return {
      columns: nameColumns(columns.map((column) => column.name)),
      hasHeader: true,
      titleRows: 0,
      byteColumns,
      batches: readBatches(list, scan, columns),
    };
  } catch (error) {
    throw parquetError(name, error);
  }
}

async function* readBatches(
  { name, signal }: ParquetFile,
  { metadata, readColumn }: ParquetScan,
  columns: readonly ListColumn[],
): AsyncGenerator<readonly InputRow[]> {
  try {
    for (const { rowStart, rowEnd } of partsOf(metadata, columns.length)) {
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
          const cells = columns.map((column, of) => column.cell(values[of]?.[at]));
          return { number, line: number, cells };
        });
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw parquetError(name, error);
  }
}

function* partsOf({ row_groups }: FileMetaData, columns: number) {
  let rowStart = 0;
  for (const group of row_groups) {
    const rows = Number(group.num_rows);
    const groupEnd = rowStart + rows;
    const values = rows * columns;
    const parts = Math.max(1, values / partValues, Number(group.total_byte_size) / partBytes);
    const partRows = Math.max(batchRows, Math.ceil(rows / parts));
    for (; rowStart < groupEnd; rowStart += partRows) {
      yield { rowStart, rowEnd: Math.min(rowStart + partRows, groupEnd) };
    }
    rowStart = groupEnd;
  }
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
