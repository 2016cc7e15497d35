import { setImmediate as nextTurn } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import {
  type Cell,
  type Column,
  type ColumnType,
  type FlatRecord,
  schemaVersion,
} from '../core/columns/columns.ts';
import type { AtomicFile } from '../platform/files/atomic-file.ts';
import type { RecordWriter } from './formats.ts';

/** Warehouses read or skip a row group as a whole. */
const groupRows = 100_000;
const groupBytes = 64 * 1024 * 1024;

/** Limits of a page; the second one is for huge cells. */
const pageRows = 2_000;
const pageCharacters = 8 * 1024 * 1024;

const columnsInTurn = 16;

const writeBytes = 1024 * 1024;

export function writeParquet(
  target: Pick<AtomicFile, 'write' | 'seal'>,
  columns: readonly Column[],
): RecordWriter {
  const converters = columns.map(({ type }) => convert[type] ?? asIs);
  const bytes = new ByteWriter();
  const file = new ParquetWriter({
    writer: bytes,
    schema: schemaElements(columns),
    codec,
    kvMetadata: [{ key: 'dossier.schema_version', value: schemaVersion }],
  });
  const chunks = columns.map(createColumnChunk);
  let held: ParquetValue[][] = columns.map(() => []);
  let heldRows = 0;
  let heldCharacters = 0;
  let rowsInGroup = 0;
  let rows = 0;

  const plainBytes = () => chunks.reduce((sum, chunk) => sum + chunk.plainBytes(), 0);
  const encodePages = async () => {
    const values = held;
    held = columns.map(() => []);
    heldRows = 0;
    heldCharacters = 0;
    for (const [index, chunk] of chunks.entries()) {
      chunk.add(values[index] ?? []);
      values[index] = [];
      if (index % columnsInTurn === 0) await nextTurn();
    }
    if (rowsInGroup >= groupRows || plainBytes() >= groupBytes) await writeGroup();
  };
  const writeGroup = async () => {
    const total_byte_size = BigInt(plainBytes());
    const inFile = [];
    for (const chunk of chunks) {
      const { pages, facts } = chunk.take(bytes.offset);
      inFile.push({ meta_data: facts, file_offset: facts.data_page_offset });
      for (const page of pages) {
        bytes.appendBytes(page);
        if (bytes.index >= writeBytes) await flush();
      }
    }
    await flush();
    file.row_groups.push({ columns: inFile, total_byte_size, num_rows: BigInt(rowsInGroup) });
    file.num_rows += BigInt(rowsInGroup);
    rowsInGroup = 0;
  };
  /** The library tracks the file offset itself, so its buffer can restart at 0. */
  const flush = async () => {
    await target.write(bytes.getBytes());
    bytes.index = 0;
  };
  return {
    write(record) {
      for (const [index, toValue] of converters.entries()) {
        held[index]?.push(toValue(record[index] ?? null));
      }
      rows += 1;
      rowsInGroup += 1;
      heldRows += 1;
      heldCharacters += textLength(record);
      const isPage = heldRows === pageRows || heldCharacters >= pageCharacters;
      return isPage || rowsInGroup === groupRows ? encodePages() : undefined;
    },
    async close() {
      if (heldRows > 0) await encodePages();
      if (rowsInGroup > 0) await writeGroup();
      await file.finish();
      await flush();
      return { rows, ...(await target.seal()) };
    },
  };
}

function textLength(record: FlatRecord) {
  let length = 0;
  for (const cell of record) {
    if (typeof cell === 'string') length += cell.length;
    else if (typeof cell === 'object' && cell !== null) length += cell.join('').length;
  }
  return length;
}

const asIs = (cell: Cell) => cell as ParquetValue;

/** The library accepts INT64 only as bigint. */
const convert: Partial<Record<ColumnType, (cell: Cell) => ParquetValue>> = {
  integer: (cell) => (cell === null ? null : BigInt(cell as number)),
  integers: (cell) => (cell === null ? null : (cell as number[]).map(BigInt)),
  timestamp(cell) {
    const milliseconds = cell === null ? Number.NaN : Date.parse(cell as string);
    return Number.isNaN(milliseconds) ? null : BigInt(milliseconds);
  },
};

type ParquetValue = string | bigint | number | boolean | string[] | bigint[] | null;

const codec = 'ZSTD';

/**
 * The library would keep a whole row group in memory, so this encodes pages. They are PLAIN,
 * because a dictionary would have to precede all pages of its chunk.
 */
function createColumnChunk(column: Column) {
  const bytes = new ByteWriter();
  let pages: Uint8Array[] = [];
  let packedBytes = 0;
  let plainBytes = 0;
  let facts: ChunkFacts | undefined;
  const parquet = new ParquetWriter({
    writer: bytes,
    // The library would encode JSON a second time.
    schema: schemaElements([column.type === 'json' ? { ...column, type: 'text' } : column]),
    codec,
    compressors: {
      [codec]: (plain) => {
        const packed = zstdCompressSync(plain);
        plainBytes += plain.length - packed.length;
        return packed;
      },
    },
  });
  // Drops the signature of a Parquet file: a chunk contains only pages.
  bytes.index = 0;

  return {
    add(values: readonly ParquetValue[]): void {
      const data = values.map(asBytes);
      // Not awaited, because a writer in memory is done when it returns.
      void parquet.write({
        columnData: [{ name: column.name, data, encoding: 'PLAIN', offsetIndex: false }],
        rowGroupSize: data.length,
      });
      pages.push(bytes.getBytes().slice());
      packedBytes += bytes.index;
      plainBytes += bytes.index;
      bytes.index = 0;
      parquet.pendingIndexes = [];
      const [group] = parquet.row_groups.splice(0);
      const added = group?.columns[0]?.meta_data;
      if (added) facts = addFacts(facts, added);
    },
    plainBytes: () => plainBytes,
    take(offset: number) {
      if (!facts) throw new Error(`no values for the column ${column.name}`);
      const taken = {
        pages,
        facts: {
          ...facts,
          data_page_offset: BigInt(offset),
          total_compressed_size: BigInt(packedBytes),
          total_uncompressed_size: BigInt(plainBytes),
          statistics: footerStatistics(facts.statistics ?? noStatistics),
        },
      };
      pages = [];
      packedBytes = 0;
      plainBytes = 0;
      facts = undefined;
      return taken;
    },
  };
}

function asBytes(value: ParquetValue) {
  if (typeof value === 'string') return Buffer.from(value);
  if (!Array.isArray(value)) return value;
  return value.map((element) => (typeof element === 'string' ? Buffer.from(element) : element));
}

function addFacts(chunk: ChunkFacts | undefined, added: ChunkFacts): ChunkFacts {
  const { encoding_stats: _, ...facts } = added;
  return {
    ...facts,
    num_values: (chunk?.num_values ?? 0n) + added.num_values,
    statistics: addStatistics(chunk?.statistics ?? noStatistics, added.statistics ?? noStatistics),
  };
}

type Leaf = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const text: Leaf = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
};
const int64: Leaf = { type: 'INT64' };

const leaves: Record<Exclude<ColumnType, 'list' | 'integers'>, Leaf> = {
  text,
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
  integer: int64,
  decimal: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

function schemaElements(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type }: Column): SchemaElement[] {
  if (type === 'list') return listOf(name, text);
  if (type === 'integers') return listOf(name, int64);
  return [{ name, repetition_type: 'OPTIONAL', ...leaves[type] }];
}

function listOf(name: string, element: Leaf): SchemaElement[] {
  return [
    {
      name,
      repetition_type: 'OPTIONAL',
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
      num_children: 1,
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...element },
  ];
}

type ChunkFacts = NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>;

export type Statistics = NonNullable<ChunkFacts['statistics']>;
type Bound = NonNullable<Statistics['min_value']>;

export const noStatistics: Statistics = { null_count: 0n };

export function addStatistics(chunk: Statistics, page: Statistics): Statistics {
  const { min_value: least, max_value: most } = chunk;
  const { min_value, max_value } = page;
  const isLess = min_value !== undefined && (least === undefined || isBefore(min_value, least));
  const isMore = max_value !== undefined && (most === undefined || isBefore(most, max_value));
  return {
    ...chunk,
    null_count: (chunk.null_count ?? 0n) + (page.null_count ?? 0n),
    ...(isLess && { min_value: copied(min_value) }),
    ...(isMore && { max_value: copied(max_value) }),
  };
}

/** Longer bounds are left out: the library cuts them inside characters, and some readers fail. */
const maxBoundBytes = 16;

export function footerStatistics(statistics: Statistics): Statistics {
  const { null_count = 0n, min_value, max_value } = statistics;
  const isLong = [min_value, max_value].some(
    (bound) => bound instanceof Uint8Array && bound.length > maxBoundBytes,
  );
  return isLong ? { null_count } : statistics;
}

/** The original would keep a large buffer from being freed. */
function copied(bound: Bound): Bound {
  return bound instanceof Uint8Array ? new Uint8Array(bound) : bound;
}

/** Parquet orders text by UTF-8 bytes, unlike JavaScript. */
function isBefore(one: Bound, other: Bound) {
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    return Buffer.compare(one, other) < 0;
  }
  return one < other;
}
