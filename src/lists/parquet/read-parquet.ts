import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type ColumnChunk,
  type Compressors,
  type DecodedArray,
  parquetMetadata,
  parquetScan,
  parquetSchema,
  type RowGroup,
  snappyUncompress,
} from 'hyparquet';
import { DossierError } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/runtime/files/open-bytes.ts';
import { nameColumns } from '../header.ts';
import type { InputRow } from '../input-row.ts';
import { unreadable } from '../list-errors.ts';
import { checkPages, Damage, walkThrift } from './check-pages.ts';
import { type ListColumn, listColumns } from './parquet-columns.ts';

interface ParquetFile {
  readonly name: string;
  readonly file: RandomBytes;
  readonly maxRecordLength: number;
  readonly signal?: AbortSignal | undefined;
}

const mebibyte = 1024 * 1024;
/** A parsed footer needs about 20 times its size in memory. */
const mostFooterBytes = 16 * mebibyte;
/** Limit for a stored column of a row group, and for all unpacked columns read at once. */
const mostColumnBytes = 512 * mebibyte;
/** hyparquet decodes a nested column for a whole row group, at about 50 bytes per value. */
const mostNestedValues = 8_000_000;
const partValues = 2_000_000;
const partBytes = 128 * mebibyte;
const leastPartRows = 100;
const batchRows = 1_000;
const batchCharacters = 1_000_000;
/** A file that claims more rows per byte is damaged, such as one of 1 KB with a billion rows. */
const rowsForEachByte = 1_000;
const harmlessRows = 1_000_000;
/** Snappy stores at best 64 bytes in 3, a ratio of about 21. */
const mostSnappyRatio = 32;

export async function readParquet(list: ParquetFile) {
  const { name, file } = list;
  try {
    const { row_groups: groups, ...footer } = await readFooter(name, file);
    const { columns, byteColumns } = listColumns(parquetSchema(footer));
    if (columns.length === 0) throw unreadable(`${name} has no column of text, numbers or times`);
    return {
      columns: nameColumns(columns.map((column) => column.name)),
      hasHeader: true,
      titleRows: 0,
      byteColumns,
      batches: readBatches(list, groups, columns),
    };
  } catch (error) {
    throw parquetError(name, error);
  }
}

async function readFooter(name: string, file: RandomBytes) {
  if (file.size < 12) throw new Damage('it is cut short');
  const tail = await file.read(file.size - 8, 8);
  const end = tail.toString('latin1', 4);
  if (end === 'PARE') throw unreadable(`${name} is encrypted: write it without encryption`);
  if (end !== 'PAR1') throw new Damage('it is cut short');
  const length = tail.readUInt32LE(0);
  if (length > file.size - 12) throw new Damage('its metadata is longer than the file');
  if (length > mostFooterBytes) {
    throw unreadable(
      `${name} describes its columns and row groups in ${Math.round(length / mebibyte)} MB, more than the limit of ${mostFooterBytes / mebibyte} MB: write it with fewer columns or larger row groups, or as CSV`,
    );
  }
  const bytes = await file.read(file.size - 8 - length, length + 8);
  walkThrift(bytes.subarray(0, length));
  const footer = parquetMetadata(new Uint8Array(bytes).buffer, { geoparquet: false });
  const counts = footer.row_groups.map((group) => Number(group.num_rows));
  const rows = counts.reduce((sum, count) => sum + count, 0);
  if (counts.some((count) => count < 0)) throw new Damage('it states a negative number of rows');
  if (rows > harmlessRows && rows > file.size * rowsForEachByte) {
    throw new Damage(`it claims ${rows} rows in ${file.size} bytes`);
  }
  return footer;
}

async function* readBatches(
  list: ParquetFile,
  groups: readonly RowGroup[],
  columns: readonly ListColumn[],
): AsyncGenerator<readonly InputRow[]> {
  const { name, maxRecordLength, signal } = list;
  let number = 0;
  try {
    for (const group of groups) {
      const rows = Number(group.num_rows);
      const parts = groupsOfColumns(group, columns);
      const partRows = rowsOfPart(rows, parts);
      for (let start = 0; start < rows; start += partRows) {
        const end = Math.min(start + partRows, rows);
        const read = openPart(list, start, end);
        const values: DecodedArray[] = [];
        for (const [index, column] of columns.entries()) {
          signal?.throwIfAborted();
          values.push(await read(column, parts[index] ?? group));
        }
        for (let row = 0; row < end - start; ) {
          signal?.throwIfAborted();
          const batch = takeRows(columns, values, row, number, maxRecordLength);
          row += batch.length;
          number += batch.length;
          yield batch;
        }
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw parquetError(name, error);
  }
}

/** Gives each column its own row group, because hyparquet reads all columns of a group. */
function groupsOfColumns(group: RowGroup, columns: readonly ListColumn[]): RowGroup[] {
  const chunks = new Map(
    group.columns.map((chunk) => [JSON.stringify(chunk.meta_data?.path_in_schema), chunk]),
  );
  return columns.map(({ name, leaves }) => {
    const own = leaves.map((path) => {
      const chunk = chunks.get(JSON.stringify(path));
      if (!chunk) throw new Damage(`a row group has no column ${JSON.stringify(name)}`);
      return chunk;
    });
    return { ...group, columns: own };
  });
}

function rowsOfPart(rows: number, parts: readonly RowGroup[]) {
  const chunks = parts.flatMap((part) => part.columns);
  const bytes = sumOf(chunks, 'total_uncompressed_size');
  const count = Math.max(1, bytes / partBytes, (rows * chunks.length) / partValues);
  return Math.max(Math.ceil(rows / count), leastPartRows);
}

function openPart({ name, file }: ParquetFile, start: number, end: number) {
  let unpacked = 0;
  const limited =
    (unpack: (bytes: Uint8Array, size: number) => Uint8Array) =>
    (bytes: Uint8Array, size: number) => {
      unpacked += size;
      if (unpacked > mostColumnBytes) throw tooLarge(name);
      // Some writers compress an empty page to zero bytes.
      return bytes.length === 0 || size === 0 ? new Uint8Array(size) : unpack(bytes, size);
    };
  const compressors: Compressors = {
    SNAPPY: limited((bytes, size) => {
      if (size > bytes.length * mostSnappyRatio)
        throw new Damage('a page states an impossible size');
      const plain = new Uint8Array(size);
      snappyUncompress(bytes, plain);
      return plain;
    }),
    GZIP: limited((bytes, size) => gunzipSync(bytes, { maxOutputLength: size })),
    BROTLI: limited((bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: size })),
    ZSTD: limited((bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: size })),
  };

  return async ({ schema, isNested }: ListColumn, group: RowGroup): Promise<DecodedArray> => {
    if (isNested && sumOf(group.columns, 'num_values') > mostNestedValues) throw tooLarge(name);
    // Reads the file here: inside hyparquet, a failed read would leave a rejected promise behind.
    const chunks = new Map<number, ArrayBuffer>();
    for (const { meta_data: chunk } of group.columns) {
      const from = Number(chunk?.dictionary_page_offset || chunk?.data_page_offset);
      const length = Number(chunk?.total_compressed_size);
      if (!(from >= 4 && length >= 0 && from + length <= file.size)) {
        throw new Damage('a column starts after the end of the file');
      }
      if (length > mostColumnBytes) throw tooLarge(name);
      const bytes = new Uint8Array(await file.read(from, length));
      checkPages(bytes, Number(isNested ? chunk?.num_values : group.num_rows));
      chunks.set(from, bytes.buffer);
    }
    const scan = await parquetScan({
      file: { byteLength: file.size, slice: (from) => chunks.get(from) ?? new ArrayBuffer(0) },
      metadata: {
        version: 1,
        schema,
        num_rows: group.num_rows,
        row_groups: [group],
        metadata_length: 0,
      },
      compressors,
      parsers: {
        stringFromBytes: ({ buffer, byteOffset, byteLength }: Uint8Array) =>
          Buffer.from(buffer, byteOffset, byteLength).toString('utf8'),
        timestampFromNanoseconds: (nanoseconds) => nanoseconds,
      },
      utf8: false,
      useOffsetIndex: false,
    });
    const column = schema[1]?.name ?? '';
    const values = await scan.readColumn({ column, rowStart: start, rowEnd: end });
    // Null is a missing value. Undefined is an index beyond the dictionary, so the file is damaged.
    if (values.length < end - start || (!isNested && values.includes(undefined as never))) {
      throw new Damage('a column has fewer values than its row group');
    }
    return values;
  };
}

function takeRows(
  columns: readonly ListColumn[],
  values: readonly DecodedArray[],
  start: number,
  before: number,
  maxRecordLength: number,
): InputRow[] {
  const end = Math.min(start + batchRows, values[0]?.length ?? 0);
  const rows: InputRow[] = [];
  let characters = 0;
  for (let row = start; row < end && characters < batchCharacters; row += 1) {
    const cells = columns.map((column, index) => column.cell(values[index]?.[row]));
    const length = cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
    const number = before + rows.length + 1;
    characters += length;
    rows.push(
      length <= maxRecordLength
        ? { number, line: number, cells }
        : {
            number,
            line: number,
            cells: [],
            problem: `row ${number} is longer than ${maxRecordLength} characters`,
          },
    );
  }
  return rows;
}

function sumOf(chunks: readonly ColumnChunk[], count: 'num_values' | 'total_uncompressed_size') {
  return chunks.reduce((sum, { meta_data: chunk }) => sum + Number(chunk?.[count] ?? 0), 0);
}

function parquetError(name: string, error: unknown): unknown {
  if (error instanceof DossierError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code?.startsWith('E') && !code.startsWith('ERR_')) {
    return unreadable(`${name} cannot be read: ${message}`, options);
  }
  if (message.startsWith('parquet unsupported')) {
    const text = `${name} cannot be read (${message}): write it with snappy, zstd, gzip or brotli, or as CSV`;
    return unreadable(text, options);
  }
  const what = error instanceof Damage ? message : 'its content cannot be decoded';
  return unreadable(
    `${name} is a damaged Parquet file: ${what}. Download or write it again`,
    options,
  );
}

function tooLarge(name: string) {
  return unreadable(
    `${name} would need more than ${mostColumnBytes / mebibyte} MB of memory: its row groups are too large. Write it with smaller row groups, or as CSV`,
  );
}
