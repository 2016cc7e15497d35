import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import {
  type Cell,
  type Column,
  type ColumnType,
  type FlatRecord,
  schemaVersion,
} from '../../records/columns/columns.ts';
import type { AtomicFile } from '../../runtime/files/atomic-file.ts';
import type { RecordWriter } from '../files/formats.ts';
import { codec, openColumnChunk, type ParquetValue, schemaElements } from './column-chunk.ts';

/** A row group is what a warehouse reads at once, or passes over by its statistics. */
const groupRows = 100_000;
const groupBytes = 64 * 1024 * 1024;

/** Rows whose values are held before they become pages. The second limit is for huge cells. */
const pageRows = 2_000;
const pageCharacters = 8 * 1024 * 1024;

/** Encoding is synchronous; after so many columns other work has its turn. */
const columnsInTurn = 16;

/** Bytes that go to the disk together. */
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
  const chunks = columns.map(openColumnChunk);
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
      // Values that are pages now need not wait for the other columns.
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
        if (bytes.index >= writeBytes) await passOn();
      }
    }
    await passOn();
    file.row_groups.push({ columns: inFile, total_byte_size, num_rows: BigInt(rowsInGroup) });
    file.num_rows += BigInt(rowsInGroup);
    rowsInGroup = 0;
  };
  /** The library counts its offset on, so its buffer can be used again from the beginning. */
  const passOn = async () => {
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
      await passOn();
      return { rows, ...(await target.seal()) };
    },
  };
}

/** The length of all text in a record. */
function textLength(record: FlatRecord): number {
  let length = 0;
  for (const cell of record) {
    if (typeof cell === 'string') length += cell.length;
    else if (typeof cell === 'object' && cell !== null) length += cell.join('').length;
  }
  return length;
}

const asIs = (cell: Cell) => cell as ParquetValue;

/** The library takes INT64 only as bigint. */
const convert: Partial<Record<ColumnType, (cell: Cell) => ParquetValue>> = {
  integer: (cell) => (cell === null ? null : BigInt(cell as number)),
  integers: (cell) => (cell === null ? null : (cell as number[]).map(BigInt)),
  timestamp(cell) {
    const milliseconds = cell === null ? Number.NaN : Date.parse(cell as string);
    return Number.isNaN(milliseconds) ? null : BigInt(milliseconds);
  },
};
