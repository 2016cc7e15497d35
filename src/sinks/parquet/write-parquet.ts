import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Column } from '../../records/columns/columns.ts';
import type { Compression } from '../files/compression.ts';
import type { ByteTarget, RecordWriter } from '../files/record-writer.ts';
import { type ParquetRecord, type ParquetValue, schemaElements } from './encode-parquet.ts';

/**
 * Encoding a group is synchronous and holds up the loop, so groups are small.
 * The second limit keeps groups of huge cells small.
 */
const groupRows = 700;
const groupCharacters = 8 * 1024 * 1024;

/** What is inside the file; readers know all three without being told. */
const codecs = { none: 'SNAPPY', gzip: 'GZIP', zstd: 'ZSTD' } as const;

export function writeParquet(
  target: ByteTarget,
  columns: readonly Column[],
  compress: Compression,
): RecordWriter<readonly ParquetRecord[]> {
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
  let group = emptyGroup(columns);
  let rowsInGroup = 0;
  let characters = 0;
  let rows = 0;

  const flush = async () => {
    const columnData = columns.map(({ name }, index) => ({ name, data: group[index] ?? [] }));
    group = emptyGroup(columns);
    rowsInGroup = 0;
    characters = 0;
    await parquet.write({ columnData, rowGroupSize: groupRows });
    await passOn();
    await nextTurn();
  };
  /** The library counts its offset on, so its buffer can be used again from the beginning. */
  const passOn = async () => {
    await target.write(bytes.getBytes());
    bytes.index = 0;
  };
  return {
    async write(records) {
      for (const record of records) {
        for (const [index, value] of record.values.entries()) group[index]?.push(value);
        rows += 1;
        rowsInGroup += 1;
        characters += record.characters;
        if (rowsInGroup === groupRows || characters >= groupCharacters) await flush();
      }
    },
    async close() {
      if (rowsInGroup > 0) await flush();
      await parquet.finish();
      await passOn();
      return { rows, ...(await target.seal()) };
    },
  };
}

function emptyGroup(columns: readonly Column[]): ParquetValue[][] {
  return columns.map(() => []);
}
