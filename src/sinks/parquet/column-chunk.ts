import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column } from '../../records/columns/columns.ts';
import {
  addStatistics,
  type ChunkFacts,
  footerStatistics,
  noStatistics,
} from './chunk-statistics.ts';
import type { ParquetValue } from './encode-parquet.ts';
import { schemaElements } from './parquet-schema.ts';

export const codec = 'ZSTD';

/** The pages of one column that wait until their row group is full. */
export interface ColumnChunk {
  /** Encodes and compresses the next values, so that they are no longer held as values. */
  add(values: readonly ParquetValue[]): void;
  /** The bytes of all pages before they were compressed. */
  plainBytes(): number;
  /** The pages, and what the footer says of them when they stand at `offset`; then it is empty. */
  take(offset: number): { readonly pages: readonly Uint8Array[]; readonly facts: ChunkFacts };
}

/**
 * The library writes a row group from all its values at once. A writer of its own for each column gives
 * pages after some thousand values instead. Pages know nothing of their place in a file, so those of one
 * column make one chunk. They are PLAIN: a chunk may have only one dictionary, and that comes first.
 */
export function openColumnChunk(column: Column): ColumnChunk {
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
    add(values) {
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
    plainBytes: () => plainBytes,
    take(offset) {
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
