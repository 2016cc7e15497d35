import type { LargeRow, RowRange } from '../../ledger/run-records.ts';

/** Rows that are encoded together, with the bytes of those answers among them that are large. */
export interface SizedRange extends RowRange {
  readonly largeBytes: number;
}

/** Answers that came together are stored together: with fewer, many bundles would be opened twice. */
export const rowsInRange = 128;
/** A range is made as a whole, so it holds this much of large answers, or one answer. */
const mostLargeBytes = 8 * 1_024 * 1_024;

/** Cuts rows into ranges of equal length, and into shorter ones where answers are large. */
export function* cutRanges(
  rowCount: number,
  largeRows: readonly LargeRow[] = [],
): Generator<SizedRange> {
  let next = 0;
  for (let start = 0; start < rowCount; start += rowsInRange) {
    const end = start + rowsInRange;
    let after = start;
    let largeBytes = 0;
    for (let row = largeRows[next]; row && row.number <= end; row = largeRows[next]) {
      if (largeBytes > 0 && largeBytes + row.bytes > mostLargeBytes) {
        yield { after, upTo: row.number - 1, largeBytes };
        after = row.number - 1;
        largeBytes = 0;
      }
      largeBytes += row.bytes;
      next += 1;
    }
    yield { after, upTo: end, largeBytes };
  }
}
