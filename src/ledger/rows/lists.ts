import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import type { RowRange } from '../run-records.ts';

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

const everyRow: RowRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

export type Lists = ReturnType<typeof listsIn>;

/** The versions of lists: which rows they hold, and in which order. */
export function listsIn(db: Database) {
  const statements = prepareStatements(db);

  /** Its rows in their order, or those of a range. */
  function* blocks(
    listId: number,
    { after, upTo }: RowRange = everyRow,
  ): Generator<ListBlock, void> {
    let first = statements.firstAt.get({ listId, number: after + 1 })?.first_number ?? 1;
    for (;;) {
      const block = statements.block.get({ listId, first, upTo });
      if (!block) return;
      const { first_number: firstNumber } = block;
      const cut = Math.max(0, after + 1 - firstNumber);
      const rowIds = rowIdsOf(block, first).slice(cut, upTo + 1 - firstNumber);
      if (rowIds.length > 0) yield { firstNumber: firstNumber + cut, rowIds };
      first = firstNumber + block.row_count;
    }
  }

  /**
   * The ids of rows by their numbers, in this order; a number that no row has is left out.
   * Numbers of one block are looked up together: unpacking it takes longer than all else.
   */
  const rowsAt = (listId: number, numbers: readonly number[]): NumberedRow[] => {
    const found = new Map<number, number>();
    let known = { firstNumber: 0, rowIds: [] as readonly number[] };
    for (const number of [...numbers].sort((one, other) => one - other)) {
      if (number >= known.firstNumber + known.rowIds.length) {
        const first = statements.firstAt.get({ listId, number })?.first_number;
        const block =
          first === undefined ? undefined : statements.block.get({ listId, first, upTo: number });
        if (first === undefined || !block) continue;
        known = { firstNumber: first, rowIds: rowIdsOf(block, first) };
      }
      const rowId = known.rowIds[number - known.firstNumber];
      if (rowId !== undefined) found.set(number, rowId);
    }
    return numbers.flatMap((number) => {
      const rowId = found.get(number);
      return rowId === undefined ? [] : [{ rowId, number }];
    });
  };

  /** Removes a version that was not read to its end. */
  const drop = (listId: number) => {
    statements.dropBlocks.run({ listId });
    statements.drop.run({ listId });
  };
  return {
    /** Begins a version that is not read yet. */
    begin: () => Number(statements.begin.run().lastInsertRowid),
    addBlock(listId: number, { firstNumber, rowIds }: ListBlock) {
      if (rowIds.length === 0) return;
      const row_ids = packRowIds(rowIds);
      statements.addBlock.run({ listId, firstNumber, count: rowIds.length, row_ids });
    },
    /** The list is read: gives its id, or that of an earlier version with the same rows in the same order. */
    complete(listId: number) {
      const digest = listDigest(blocks(listId));
      const same = statements.same.get({ digest })?.id;
      if (same === undefined) statements.complete.run({ listId, digest });
      else if (same !== listId) drop(listId);
      return same ?? listId;
    },
    drop,
    /** How many rows it has. */
    size: (listId: number) => statements.size.get({ listId })?.rows ?? 0,
    blocks,
    rowsAt,
  };
}

interface StoredBlock {
  readonly first_number: number;
  readonly row_count: number;
  readonly row_ids: Buffer;
}

/** The rows of the block that begins with one. */
function rowIdsOf({ first_number, row_count, row_ids }: StoredBlock, first: number): number[] {
  let rowIds: number[];
  try {
    rowIds = unpackRowIds(row_ids);
  } catch (cause) {
    throw new DossierError('LEDGER_DAMAGED', 'a list in the ledger has changed on the disk', {
      cause,
    });
  }
  if (first_number === first && rowIds.length === row_count) return rowIds;
  throw new DossierError('LEDGER_DAMAGED', 'a list in the ledger has lost some of its rows');
}

/** The hash of rows in their order, by which a list is known again. */
export function listDigest(blocks: Iterable<ListBlock>): Buffer {
  const hash = createHash('sha256');
  for (const { rowIds } of blocks) hash.update(Int32Array.from(rowIds));
  return hash.digest();
}

function prepareStatements(db: Database) {
  type OfList = { listId: number };
  return {
    begin: db.prepare(`insert into list (digest) values (null)`),
    addBlock: db.prepare(`
      insert into list_block (list_id, first_number, row_count, row_ids)
      values (:listId, :firstNumber, :count, :row_ids)`),
    same: db.prepare<{ digest: Buffer }, { id: number }>(
      `select id from list where digest = :digest`,
    ),
    complete: db.prepare(`update list set digest = :digest where id = :listId`),
    dropBlocks: db.prepare(`delete from list_block where list_id = :listId`),
    drop: db.prepare(`delete from list where id = :listId`),
    size: db.prepare<OfList, { rows: number }>(`
      select first_number + row_count - 1 as rows from list_block
      where list_id = :listId order by first_number desc limit 1`),
    // The block that holds a row.
    firstAt: db.prepare<OfList & { number: number }, { first_number: number }>(`
      select first_number from list_block
      where list_id = :listId and first_number <= :number order by first_number desc limit 1`),
    block: db.prepare<OfList & { first: number; upTo: number }, StoredBlock>(`
      select first_number, row_count, row_ids from list_block
      where list_id = :listId and first_number >= :first and first_number <= :upTo
      order by first_number limit 1`),
  };
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
