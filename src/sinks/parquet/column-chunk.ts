import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, ColumnType } from '../../records/columns/columns.ts';
import {
  addStatistics,
  type ChunkFacts,
  footerStatistics,
  noStatistics,
} from './chunk-statistics.ts';

export type ParquetValue = string | bigint | number | boolean | string[] | bigint[] | null;

export const codec = 'ZSTD';

/**
 * The library writes a row group from all its values at once. A writer of its own for each column gives
 * pages after some thousand values instead. Pages know nothing of their place in a file, so those of one
 * column make one chunk. They are PLAIN: a chunk may have only one dictionary, and that comes first.
 */
export function openColumnChunk(column: Column) {
  const bytes = new ByteWriter();
  let pages: Uint8Array[] = [];
  let packedBytes = 0;
  let plainBytes = 0;
  let facts: ChunkFacts | undefined;
  const parquet = new ParquetWriter({
    writer: bytes,
    // The library would write JSON text as JSON once more, as one string.
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
  // Drops the mark that begins a file: a chunk holds only pages.
  bytes.index = 0;

  return {
    /** Encodes and compresses the next values, so that they are no longer held as values. */
    add(values: readonly ParquetValue[]): void {
      const data = values.map(asBytes);
      // Only a writer to a file gives a promise; this one has written when it returns.
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
    /** The bytes of all pages before they were compressed. */
    plainBytes: () => plainBytes,
    /** The pages, and what the footer says of them when they stand at `offset`; then it is empty. */
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

/** Text in UTF-8, which is what Parquet compares for its statistics. */
function asBytes(value: ParquetValue) {
  if (typeof value === 'string') return Buffer.from(value);
  if (!Array.isArray(value)) return value;
  return value.map((element) => (typeof element === 'string' ? Buffer.from(element) : element));
}

function addFacts(chunk: ChunkFacts | undefined, added: ChunkFacts): ChunkFacts {
  const [all, more] = [chunk?.encoding_stats?.[0], added.encoding_stats?.[0]];
  return {
    ...added,
    num_values: (chunk?.num_values ?? 0n) + added.num_values,
    statistics: addStatistics(chunk?.statistics ?? noStatistics, added.statistics ?? noStatistics),
    ...(more && { encoding_stats: [{ ...more, count: (all?.count ?? 0) + more.count }] }),
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

/** The columns as Parquet's flat list of a tree: the root, then each column, every one nullable. */
export function schemaElements(columns: readonly Column[]): SchemaElement[] {
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
