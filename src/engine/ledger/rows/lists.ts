import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DossierError } from '../../../core/errors.ts';
import type { Statements } from '../statements.ts';

/** Rows of a list that follow one another. */
interface ListBlock {
  /** Number of the first of them. */
  readonly firstNumber: number;
  readonly rowIds: readonly number[];
}

/** A row, and where it stands in a list. */
export interface NumberedRow {
  readonly rowId: number;
  readonly number: number;
}

/**
 * Rows are read a batch at a time: a statement that stays open would hold back the write-ahead log
 * and block writes on its own connection.
 */
export const rowsInBatch = 500;

export type Lists = ReturnType<typeof listsIn>;

/** The versions of lists: which rows they hold, and in which order. */
export function listsIn({ run, get, value }: Statements) {
  const begin = run(`insert into list (digest) values (null)`);
  const addBlock = run(`
    insert into list_block (list_id, first_number, row_count, row_ids)
    values (:listId, :firstNumber, :count, :packed)`);
  const sameAs = value<number | undefined>(`select id from list where digest = ?`);
  const complete = run(`update list set digest = ? where id = ?`);
  const dropBlocks = run(`delete from list_block where list_id = ?`);
  const dropList = run(`delete from list where id = ?`);
  // The block that holds a row.
  const firstAt = value<number | undefined>(`
    select first_number from list_block
    where list_id = ? and first_number <= ? order by first_number desc limit 1`);
  const blockAt = get<StoredBlock>(`
    select first_number as firstNumber, row_count as count, row_ids as packed from list_block
    where list_id = :listId and first_number >= :first and first_number <= :upTo
    order by first_number limit 1`);

  /** Its rows in their order. */
  function* blocks(listId: number): Generator<ListBlock, void> {
    for (let first = 1; ; ) {
      const block = blockAt({ listId, first, upTo: Number.MAX_SAFE_INTEGER });
      if (!block) return;
      const { firstNumber, count } = block;
      yield { firstNumber, rowIds: rowIdsOf(block, first) };
      first = firstNumber + count;
    }
  }

  /**
   * The ids of rows by their numbers, in this order; a number that no row has is left out.
   * Numbers of one block are looked up together: unpacking it takes longer than all else.
   */
  const rowsAt = (listId: number, numbers: readonly number[]): NumberedRow[] => {
    const found = new Map<number, number>();
    let known: ListBlock = { firstNumber: 0, rowIds: [] };
    for (const number of [...numbers].sort((one, other) => one - other)) {
      if (number >= known.firstNumber + known.rowIds.length) {
        const firstNumber = firstAt(listId, number) ?? 0;
        const block = blockAt({ listId, first: firstNumber, upTo: number });
        if (!block) continue;
        known = { firstNumber, rowIds: rowIdsOf(block, firstNumber) };
      }
      const rowId = known.rowIds[number - known.firstNumber];
      if (rowId !== undefined) found.set(number, rowId);
    }
    return numbers.flatMap((number) => {
      const rowId = found.get(number);
      return rowId === undefined ? [] : [{ rowId, number }];
    });
  };

  /** The rows that are meant, in their order. */
  function* batches(listId: number, isMeant: (rowId: number) => boolean = () => true) {
    for (const { firstNumber, rowIds } of blocks(listId)) {
      const rows = rowIds
        .map((rowId, index): NumberedRow => ({ rowId, number: firstNumber + index }))
        .filter(({ rowId }) => isMeant(rowId));
      for (let at = 0; at < rows.length; at += rowsInBatch) yield rows.slice(at, at + rowsInBatch);
    }
  }

  /** Removes a version that was not read to its end. */
  const drop = (listId: number) => {
    dropBlocks(listId);
    dropList(listId);
  };
  return {
    /** Begins a version that is not read yet. */
    begin: () => Number(begin().lastInsertRowid),
    addBlock(listId: number, { firstNumber, rowIds }: ListBlock) {
      if (rowIds.length === 0) return;
      addBlock({ listId, firstNumber, count: rowIds.length, packed: packRowIds(rowIds) });
    },
    /** The list is read: gives its id, or that of an earlier version with the same rows in the same order. */
    complete(listId: number) {
      const digest = listDigest(blocks(listId));
      const same = sameAs(digest);
      if (same === undefined) complete(digest, listId);
      else if (same !== listId) drop(listId);
      return same ?? listId;
    },
    drop,
    /** How many rows it has. */
    size: value<number, [listId: number]>(`
      select coalesce(max(first_number + row_count) - 1, 0) from list_block where list_id = ?`),
    blocks,
    batches,
    rowsAt,
  };
}

interface StoredBlock {
  readonly firstNumber: number;
  readonly count: number;
  readonly packed: Buffer;
}

/** The rows of the block that begins with one. */
function rowIdsOf({ firstNumber, count, packed }: StoredBlock, first: number): number[] {
  let rowIds: number[];
  try {
    rowIds = unpackRowIds(packed);
  } catch (cause) {
    throw new DossierError('LEDGER_DAMAGED', 'a list in the ledger has changed on the disk', {
      cause,
    });
  }
  if (firstNumber === first && rowIds.length === count) return rowIds;
  throw new DossierError('LEDGER_DAMAGED', 'a list in the ledger has lost some of its rows');
}

/** The hash of rows in their order, by which a list is known again. */
export function listDigest(blocks: Iterable<ListBlock>): Buffer {
  const hash = createHash('sha256');
  for (const { rowIds } of blocks) hash.update(Int32Array.from(rowIds));
  return hash.digest();
}

/**
 * Packs ids of rows. Most rows of a list were stored one after another, so that the differences between
 * their ids are alike: five thousand of them take less than a hundred bytes.
 */
export function packRowIds(ids: readonly number[]): Buffer {
  const differences = new Int32Array(ids.length);
  let before = 0;
  for (const [index, id] of ids.entries()) {
    differences[index] = id - before;
    before = id;
  }
  return zstdCompressSync(Buffer.from(differences.buffer), { params: fastest });
}

const fastest = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };

/** Throws where the bytes have changed: another id would put another row into the list. */
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
