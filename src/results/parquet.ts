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

/** A row group is in memory until it is full. The second limit is for huge cells. */
const groupRows = 4_000;
const groupCharacters = 32 * 1024 * 1024;

export function writeParquet(
  target: Pick<AtomicFile, 'write' | 'seal'>,
  columns: readonly Column[],
): RecordWriter {
  const converters = columns.map(({ type }) => convert[type] ?? asBytes);
  const bytes = new ByteWriter();
  const asText = columns.map((column) =>
    column.type === 'json' ? { ...column, type: 'text' as const } : column,
  );
  const file = new ParquetWriter({
    writer: bytes,
    // The library would encode JSON a second time.
    schema: schemaElements(asText),
    codec: 'ZSTD',
    compressors: { ZSTD: zstdCompressSync },
    kvMetadata: [{ key: 'dossier.schema_version', value: schemaVersion }],
  });
  let held: ParquetValue[][] = columns.map(() => []);
  let heldRows = 0;
  let heldCharacters = 0;
  let rows = 0;

  const writeGroup = async () => {
    const columnData = columns.map(({ name }, index) => {
      return { name, data: held[index] ?? [], encoding: 'PLAIN' as const, offsetIndex: false };
    });
    // Not awaited, because a writer in memory is done when it returns.
    void file.write({ columnData, rowGroupSize: heldRows });
    file.pendingIndexes = [];
    for (const { meta_data: facts } of file.row_groups.at(-1)?.columns ?? []) dropLongBounds(facts);
    held = columns.map(() => []);
    heldRows = 0;
    heldCharacters = 0;
    await flush();
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
      heldRows += 1;
      heldCharacters += textLength(record);
      const isFull = heldRows === groupRows || heldCharacters >= groupCharacters;
      return isFull ? writeGroup() : undefined;
    },
    async close() {
      if (heldRows > 0) await writeGroup();
      file.schema = schemaElements(columns);
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

type ParquetValue = Uint8Array | bigint | number | boolean | (Uint8Array | bigint)[] | null;

/** As bytes, because Parquet orders text by them, unlike JavaScript. */
function asBytes(cell: Cell): ParquetValue {
  if (Array.isArray(cell)) return cell.map((text) => Buffer.from(String(text)));
  return typeof cell === 'string' ? Buffer.from(cell) : (cell as ParquetValue);
}

/** The library accepts INT64 only as bigint. */
const convert: Partial<Record<ColumnType, (cell: Cell) => ParquetValue>> = {
  integer: (cell) => (cell === null ? null : BigInt(cell as number)),
  integers: (cell) => (cell === null ? null : (cell as number[]).map(BigInt)),
  timestamp(cell) {
    const milliseconds = cell === null ? Number.NaN : Date.parse(cell as string);
    return Number.isNaN(milliseconds) ? null : BigInt(milliseconds);
  },
};

type ChunkFacts = ParquetWriter['row_groups'][number]['columns'][number]['meta_data'];

const maxBoundBytes = 16;

/** The library cuts longer bounds inside characters, and some readers fail. */
function dropLongBounds(facts: ChunkFacts) {
  const { min_value: least, max_value: most, null_count = 0n } = facts?.statistics ?? {};
  const isLong = [least, most].some(
    (bound) => bound instanceof Uint8Array && bound.length > maxBoundBytes,
  );
  if (facts && isLong) facts.statistics = { null_count };
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
