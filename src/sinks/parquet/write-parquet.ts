import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import type { Compression } from '../files/compression.ts';
import type { ByteSink, RecordWriter } from '../files/record-writer.ts';
import { type ParquetValue, schemaElements, toParquet } from './parquet-schema.ts';

/**
 * Encoding a group is synchronous and holds up the loop, so groups are small.
 * The second limit keeps groups of huge cells small.
 */
const groupRows = 700;
const groupCharacters = 8 * 1024 * 1024;

/** What is inside the file; readers know all three without being told. */
const codecs = { none: 'SNAPPY', gzip: 'GZIP', zstd: 'ZSTD' } as const;

export function writeParquet(
  sink: ByteSink,
  columns: readonly Column[],
  compress: Compression,
): RecordWriter {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaElements(columns),
    codec: codecs[compress],
    compressors: { GZIP: gzipSync, ZSTD: zstdCompressSync },
    // The library orders text by UTF-16 and Parquet by bytes: with its bounds, a reader that
    // filters would pass over groups that hold what it looks for.
    statistics: false,
  });
  const converters = columns.map(({ type }) => toParquet(type));
  let group = emptyGroup(columns);
  let characters = 0;
  let rows = 0;

  const flush = async () => {
    const columnData = columns.map(({ name }, index) => ({ name, data: group[index] ?? [] }));
    group = emptyGroup(columns);
    characters = 0;
    await parquet.write({ columnData, rowGroupSize: groupRows });
    await passOn();
    await nextTurn();
  };
  /** The library counts its offset on, so its buffer can be used again from the beginning. */
  const passOn = async () => {
    await sink.write(bytes.getBytes());
    bytes.index = 0;
  };
  return {
    write(record) {
      for (const [index, convert] of converters.entries()) {
        group[index]?.push(convert(record[index] ?? null));
      }
      rows += 1;
      characters += textLength(record);
      const isFull = group[0]?.length === groupRows || characters >= groupCharacters;
      return isFull ? flush() : undefined;
    },
    async close() {
      if (group[0]?.length !== 0) await flush();
      await parquet.finish();
      await passOn();
      return { rows, ...(await sink.seal()) };
    },
  };
}

function emptyGroup(columns: readonly Column[]): ParquetValue[][] {
  return columns.map(() => []);
}

function textLength(record: FlatRecord): number {
  let length = 0;
  for (const cell of record) {
    if (typeof cell === 'string') length += cell.length;
    else if (typeof cell === 'object' && cell !== null) length += cell.join('').length;
  }
  return length;
}
