import type { Difference, RecordedRow, RecordedRun } from '../../../core/columns/run-records.ts';
import { IdSet } from '../../../core/values/id-set.ts';
import { type Lists, rowsInBatch } from '../rows/lists.ts';
import type { Statements } from '../statements.ts';
import type { RowRecords } from './row-records.ts';

/** If more rows changed, reading all of them takes hardly longer. */
const mostChanged = 0.2;

export function differenceIn({ values }: Statements, lists: Lists) {
  const outcomesSince = values<number>(
    `select row_id from outcome where run_id > ? and run_id <= ?`,
  );
  const everUnmatched = values<number>(
    `select row_id from outcome where run_id <= ? and status <> 'matched'`,
  );

  return (rows: RowRecords, earlier: RecordedRun, run: RecordedRun): Difference | undefined => {
    const idsBefore = lists.rowIds(earlier.listId);
    const withNewOutcome = idSet(outcomesSince(earlier.id, run.id));
    const unmatched = idSet(everUnmatched(run.id));
    const changed = new IdSet();
    /** Rows without a company stand in other files, too. */
    const toRead = new IdSet();
    let [size, changes] = [0, 0];
    const before = idsOf(lists, earlier.listId);
    for (const id of idsOf(lists, run.listId)) {
      size += 1;
      const was = before.next().value;
      // A row with another number has another record.
      if (was !== id && idsBefore.has(id)) return undefined;
      const isChanged = was !== id || withNewOutcome.has(id);
      if (isChanged && changed.add(size)) changes += 1;
      if (isChanged || unmatched.has(id)) toRead.add(size);
    }
    const rowsBefore = lists.size(earlier.listId);
    for (let number = size + 1; number <= rowsBefore; number += 1) {
      if (changed.add(number)) changes += 1;
    }
    if (changes > size * mostChanged) return undefined;

    const read = function* (of: RecordedRun, numbers: IdSet, upTo: number) {
      for (const batch of batchesOf(numbers, upTo)) {
        for (const row of rows.read(of, lists.rowsAt(of.listId, batch))) yield row;
      }
    };
    return {
      rowsBefore,
      *changed() {
        const [sideBefore, sideAfter] = [
          read(earlier, changed, rowsBefore),
          read(run, changed, size),
        ];
        let [was, is] = [sideBefore.next(), sideAfter.next()];
        while (!was.done || !is.done) {
          const number = Math.min(numberOf(was), numberOf(is));
          const [isBefore, isAfter] = [numberOf(was) === number, numberOf(is) === number];
          yield {
            before: isBefore ? (was.value ?? undefined) : undefined,
            after: isAfter ? (is.value ?? undefined) : undefined,
          };
          if (isBefore) was = sideBefore.next();
          if (isAfter) is = sideAfter.next();
        }
      },
      *rows() {
        let first = 1;
        for (const { record } of read(run, toRead, size)) {
          if (record.number > first) yield { first, last: record.number - 1 };
          yield record;
          first = record.number + 1;
        }
        if (first <= size) yield { first, last: size };
      },
    };
  };
}

function numberOf(read: IteratorResult<RecordedRow, void>) {
  return read.done ? Number.POSITIVE_INFINITY : read.value.record.number;
}

function idSet(ids: Iterable<number>) {
  const set = new IdSet();
  for (const id of ids) set.add(id);
  return set;
}

function* idsOf(lists: Lists, listId: number): Generator<number, undefined> {
  for (const { rowIds } of lists.blocks(listId)) yield* rowIds;
  return undefined;
}

function* batchesOf(numbers: IdSet, upTo: number) {
  let batch: number[] = [];
  for (let number = 1; number <= upTo; number += 1) {
    if (!numbers.has(number)) continue;
    batch.push(number);
    if (batch.length < rowsInBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
