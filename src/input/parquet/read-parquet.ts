import type { ColumnMetaData, RowGroup } from 'hyparquet';
import type { RandomBytes } from '../../runtime/files/random-bytes.ts';
import { nameColumns } from '../header/name-columns.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { type ColumnCells, openColumnCells } from './column-cells.ts';
import { Damage, parquetTrouble, unsupported } from './damage.ts';
import { isKnownCodec } from './decompress-page.ts';
import { openHeldBytes } from './held-bytes.ts';
import { openLeafPages } from './leaf-pages.ts';
import { type ListColumn, listColumns } from './parquet-columns.ts';
import { readFooter } from './read-footer.ts';

export interface ParquetOptions {
  readonly name: string;
  readonly maxRecordLength: number;
  readonly signal?: AbortSignal | undefined;
}

const mebibyte = 1024 * 1024;
/** Of the pages that are open at once. */
const mostHeldBytes = 512 * mebibyte;
const mostColumns = 10_000;
const batchRows = 1_000;
/** Ends a batch of long rows early. */
const batchCharacters = 1_000_000;

/** Reads a Parquet file, one page of each column at a time. Its columns are known from the beginning. */
export async function readParquet(
  file: RandomBytes,
  options: ParquetOptions,
): Promise<InputTable & { leftOut: readonly string[] }> {
  const { name } = options;
  try {
    const { groups, schema } = await readFooter(name, file);
    const { columns, leftOut } = listColumns(schema);
    if (columns.length === 0) throw unsupported(name, 'has no column of text, numbers or times');
    if (columns.length > mostColumns) {
      throw unsupported(name, `has more than ${mostColumns} columns: write those that are needed`);
    }
    for (const group of groups) refuseCodecs(name, group);
    return {
      columns: nameColumns(columns.map((column) => column.name)),
      ...{ hasHeader: true, titleRows: 0, leftOut },
      batches: readBatches(file, groups, columns, options),
    };
  } catch (error) {
    throw parquetTrouble(name, error);
  }
}

async function* readBatches(
  file: RandomBytes,
  groups: readonly RowGroup[],
  columns: readonly ListColumn[],
  options: ParquetOptions,
): AsyncGenerator<readonly InputRow[]> {
  let number = 0;
  try {
    for (const group of groups) {
      const cells = openGroup(file, group, columns, options.name);
      for (let left = Number(group.num_rows); left > 0; ) {
        options.signal?.throwIfAborted();
        const rows = await takeRows(cells, Math.min(left, batchRows), number, options);
        left -= rows.length;
        number += rows.length;
        yield rows;
      }
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw parquetTrouble(options.name, error);
  } finally {
    await file.close();
  }
}

async function takeRows(
  columns: readonly ColumnCells[],
  most: number,
  before: number,
  { maxRecordLength }: ParquetOptions,
): Promise<InputRow[]> {
  let count = most;
  for (const column of columns) {
    if (column.ready() === 0) await column.load();
    count = Math.min(count, column.ready());
  }
  if (count === 0) throw new Damage('a column has fewer rows than its row group');
  const rows: InputRow[] = [];
  let characters = 0;
  while (rows.length < count && characters < batchCharacters) {
    const cells = columns.map((column) => column.take());
    const length = cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
    const number = before + rows.length + 1;
    characters += length;
    rows.push(
      length <= maxRecordLength
        ? { number, line: number, cells }
        : {
            ...{ number, line: number, cells: [] },
            problem: `row ${number} is longer than ${maxRecordLength} characters`,
          },
    );
  }
  return rows;
}

function openGroup(
  file: RandomBytes,
  group: RowGroup,
  columns: readonly ListColumn[],
  name: string,
): ColumnCells[] {
  const chunks = new Map(group.columns.map((one) => [keyOf(one.meta_data), one.meta_data]));
  const held = openHeldBytes(name, mostHeldBytes);
  return columns.map((column) => {
    const pages = column.leaves.map((leaf) => {
      const chunk = chunks.get(JSON.stringify(leaf.path));
      if (!chunk) throw new Damage(`a row group has no column ${JSON.stringify(column.name)}`);
      return openLeafPages(file, chunk, leaf, held);
    });
    return openColumnCells(column, pages);
  });
}

function keyOf(chunk: ColumnMetaData | undefined): string {
  return JSON.stringify(chunk?.path_in_schema ?? []);
}

function refuseCodecs(name: string, { columns }: RowGroup): void {
  for (const { meta_data: chunk } of columns) {
    const codec = chunk?.codec ?? 'a method of no known name';
    if (!chunk || isKnownCodec(codec)) continue;
    throw unsupported(
      name,
      `is compressed with ${codec}, which is not read: write it with snappy, zstd, gzip or brotli, or uncompressed`,
    );
  }
}
