import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import type { RowRange } from '../run-records.ts';
import { packRowIds, unpackRowIds } from './row-ids.ts';

/** Rows of a list that follow one another. */
export interface ListBlock {
  /** Number of the first of them. */
  readonly firstNumber: number;
  readonly rowIds: readonly number[];
}

/** The versions of lists: which rows they hold, and in which order. */
export interface Lists {
  /** Begins a version that is not read yet. */
  begin(): number;
  addBlock(listId: number, block: ListBlock): void;
  /** The list is read: gives its id, or that of an earlier version with the same rows in the same order. */
  complete(listId: number): number;
  /** Removes a version that was not read to its end. */
  drop(listId: number): void;
  /** How many rows it has. */
  size(listId: number): number;
  /** Its rows in their order, or those of a range. */
  blocks(listId: number, range?: RowRange): Iterable<ListBlock>;
  /** The ids of rows by their numbers, in this order; a number that no row has is left out. */
  rowsAt(listId: number, numbers: readonly number[]): NumberedRow[];
}

/** A row, and where it stands in a list. */
export interface NumberedRow {
  readonly rowId: number;
  readonly number: number;
}

const everyRow: RowRange = { after: 0, upTo: Number.MAX_SAFE_INTEGER };

export function listsIn(db: Database): Lists {
  const statements = prepareStatements(db);

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

  /** Numbers of one block are looked up together: unpacking it takes longer than all else. */
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

  const drop = (listId: number) => {
    statements.dropBlocks.run({ listId });
    statements.drop.run({ listId });
  };
  return {
    begin: () => Number(statements.begin.run().lastInsertRowid),
    addBlock(listId, { firstNumber, rowIds }) {
      if (rowIds.length === 0) return;
      const row_ids = packRowIds(rowIds);
      statements.addBlock.run({ listId, firstNumber, count: rowIds.length, row_ids });
    },
    complete(listId) {
      const digest = listDigest(blocks(listId));
      const same = statements.same.get({ digest })?.id;
      if (same === undefined) statements.complete.run({ listId, digest });
      else if (same !== listId) drop(listId);
      return same ?? listId;
    },
    drop,
    size: (listId) => statements.size.get({ listId })?.rows ?? 0,
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
