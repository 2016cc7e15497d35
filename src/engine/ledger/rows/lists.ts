import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DossierError } from '../../../core/errors.ts';
import { IdSet } from '../../../core/values/id-set.ts';
import type { Statements } from '../statements.ts';

interface ListBlock {
  readonly firstNumber: number;
  readonly rowIds: readonly number[];
}

export interface NumberedRow {
  readonly rowId: number;
  readonly number: number;
}

/** Rows are read in batches, because an open statement would keep SQLite's log growing. */
export const rowsInBatch = 500;

/** A version of a list: the ids of its rows, in order. */
export interface Lists {
  /** Returns the id of a list that is not read yet. */
  begin(): number;
  addBlock(listId: number, block: ListBlock): void;
  /** Returns the id of an earlier list with the same rows in the same order, if any. */
  complete(listId: number): number;
  drop(listId: number): void;
  size(listId: number): number;
  blocks(listId: number): Generator<ListBlock, void>;
  rowIds(listId: number): IdSet;
  /** Only rows that are meant. */
  batches(listId: number, isMeant?: (rowId: number) => boolean): Generator<NumberedRow[], void>;
  /** In the order of the numbers; those that the list lacks are left out. */
  rowsAt(listId: number, numbers: readonly number[]): NumberedRow[];
}

export function listsIn({ change, get, value }: Statements): Lists {
  const begin = change(`insert into list (digest) values (null)`);
  const addBlock = change(`
    insert into list_block (list_id, first_number, row_count, row_ids)
    values (:listId, :firstNumber, :count, :packed)`);
  const sameAs = value<number | undefined>(`select id from list where digest = ?`);
  const complete = change(`update list set digest = ? where id = ?`);
  const dropBlocks = change(`delete from list_block where list_id = ?`);
  const dropList = change(`delete from list where id = ?`);
  const select = `
    select first_number as firstNumber, row_count as count, row_ids as packed from list_block
    where list_id = ? and first_number`;
  const blockFrom = get<StoredBlock>(`${select} >= ? order by first_number limit 1`);
  const blockAt = get<StoredBlock>(`${select} <= ? order by first_number desc limit 1`);

  function* blocks(listId: number): Generator<ListBlock, void> {
    for (let first = 1; ; ) {
      const block = blockFrom(listId, first);
      if (!block) return;
      const { firstNumber, count } = block;
      yield { firstNumber, rowIds: rowIdsOf(block, first) };
      first = firstNumber + count;
    }
  }

  /** Unpacks each block only once, because that takes the most time. */
  const rowsAt: Lists['rowsAt'] = (listId, numbers) => {
    const idsByNumber = new Map<number, number>();
    let known: ListBlock = { firstNumber: 0, rowIds: [] };
    for (const number of [...numbers].sort((one, other) => one - other)) {
      if (number >= known.firstNumber + known.rowIds.length) {
        const block = blockAt(listId, number);
        if (!block) continue;
        const { firstNumber } = block;
        known = { firstNumber, rowIds: rowIdsOf(block, firstNumber) };
      }
      const rowId = known.rowIds[number - known.firstNumber];
      if (rowId !== undefined) idsByNumber.set(number, rowId);
    }
    return numbers.flatMap((number) => {
      const rowId = idsByNumber.get(number);
      return rowId === undefined ? [] : [{ rowId, number }];
    });
  };

  function* batches(listId: number, isMeant: (rowId: number) => boolean = () => true) {
    for (const { firstNumber, rowIds } of blocks(listId)) {
      const rows = rowIds
        .map((rowId, index): NumberedRow => ({ rowId, number: firstNumber + index }))
        .filter(({ rowId }) => isMeant(rowId));
      for (let at = 0; at < rows.length; at += rowsInBatch) yield rows.slice(at, at + rowsInBatch);
    }
  }

  const drop = (listId: number) => {
    dropBlocks(listId);
    dropList(listId);
  };
  return {
    begin: () => Number(begin().lastInsertRowid),
    addBlock(listId, { firstNumber, rowIds }) {
      if (rowIds.length === 0) return;
      addBlock({ listId, firstNumber, count: rowIds.length, packed: packRowIds(rowIds) });
    },
    complete(listId) {
      const digest = listDigest(blocks(listId));
      const same = sameAs(digest);
      if (same === undefined) complete(digest, listId);
      else if (same !== listId) drop(listId);
      return same ?? listId;
    },
    drop,
    size: value<number, [listId: number]>(`
      select coalesce(max(first_number + row_count) - 1, 0) from list_block where list_id = ?`),
    blocks,
    rowIds(listId) {
      const ids = new IdSet();
      for (const block of blocks(listId)) for (const id of block.rowIds) ids.add(id);
      return ids;
    },
    batches,
    rowsAt,
  };
}

interface StoredBlock {
  readonly firstNumber: number;
  readonly count: number;
  readonly packed: Buffer;
}

function rowIdsOf({ firstNumber, count, packed }: StoredBlock, first: number) {
  let rowIds: number[];
  try {
    rowIds = unpackRowIds(packed);
  } catch (cause) {
    throw new DossierError('LEDGER_DAMAGED', 'a list in the ledger was changed on the disk', {
      cause,
    });
  }
  if (firstNumber === first && rowIds.length === count) return rowIds;
  throw new DossierError('LEDGER_DAMAGED', 'a list in the ledger has lost some of its rows');
}

export function listDigest(blocks: Iterable<ListBlock>): Buffer {
  const hash = createHash('sha256');
  for (const { rowIds } of blocks) hash.update(Int32Array.from(rowIds));
  return hash.digest();
}

/** Most ids are consecutive, so 5,000 differences take less than 100 bytes. */
function packRowIds(ids: readonly number[]): Buffer {
  const differences = new Int32Array(ids.length);
  let before = 0;
  for (const [index, id] of ids.entries()) {
    differences[index] = id - before;
    before = id;
  }
  return zstdCompressSync(Buffer.from(differences.buffer), { params: fastest });
}

const fastest = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };

/** Throws if the bytes are damaged, because a wrong id would mean a wrong row. */
export function unpackRowIds(packed: Buffer): number[] {
  const plain = zstdDecompressSync(packed);
  const ids: number[] = [];
  let id = 0;
  for (let at = 0; at < plain.length; at += Int32Array.BYTES_PER_ELEMENT) {
    id += plain.readInt32LE(at);
    ids.push(id);
  }
  return ids;
}
